import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../../support/git-repository.ts";
import { cleanedUp } from "../cleaning-git.ts";
import { applyMerge, prepareMerge, undoMerge } from "../operations.ts";
import { DEAD, treeIn } from "../tree-of-tests.ts";

test.each([
  ["write-tree", 1],
  ["commit-tree", 1],
  ["commit-tree", 2],
  ["merge-tree", 1],
  ["update-ref refs/troupe/merges/", 1],
  ["update-ref refs/troupe/merges/", 2],
] as const)(
  "faults: git gc --prune=now before %s, %d times, costs a merge another try",
  { tags: ["long"] },
  async (at, times) => {
    const repository = await repositoryWith({ "a.txt": "1\n2\n3\n4\n5\n" });
    const t = await treeIn(repository, "t1");
    t.write("a.txt", "1\n2\n3\n4\nagent\n");
    t.write("new.txt", "new\n");
    await t.snapshot();
    writeFileSync(join(repository.folder, "a.txt"), "mine\n2\n3\n4\n5\n");
    const { tree } = t;
    const ground = () => cleanedUp(repository, at, times);
    expect(await prepareMerge({ tree, deleted: [], forCheck: false }, ground())).toMatchObject({
      type: "clean",
    });
    const request = { tree, expects: null, hold: [], commit: null, owner: DEAD, title: "t" };
    expect(await applyMerge(request, ground())).toMatchObject({ type: "merged", files: 2 });
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("mine\n2\n3\n4\nagent\n");
    expect(await undoMerge({ folder: repository.folder, which: null, force: false }, t.ground)).toMatchObject(
      {
        type: "undone",
      },
    );
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("mine\n2\n3\n4\n5\n");
    expect(await repository.must(["fsck", "--connectivity-only", "--no-dangling"])).toBe("");
  },
);
