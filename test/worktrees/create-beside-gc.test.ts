// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { treePath, treeRecordFolder } from "../../src/worktrees/layout.ts";
import { emptyRepository, repositoryWith } from "../support/git-repository.ts";
import { creationIn, groundOf } from "../support/worktree-ground.ts";
import { cleanedUp } from "./cleaning-git.ts";
import { applyMerge, claimTree, createTree, removeTree } from "./operations.ts";

/** The last words of git commands between the first object and the ref that holds all of them. */
const MOMENTS = [
  ["write-tree", 1],
  ["commit-tree", 1],
  // The first one holds HEAD.
  ["update-ref refs/troupe/bases/", 2],
] as const;

describe("faults: git gc --prune=now drops nothing of a worktree that is being made", () => {
  test.each(MOMENTS)("before %s", { tags: ["long"] }, async (at, times) => {
    const person = await repositoryWith({ "a.txt": "a\n" });
    writeFileSync(join(person.folder, "a.txt"), "changed\n");
    writeFileSync(join(person.folder, "new.txt"), "new\n");
    const made = await createTree(creationIn(person.folder), cleanedUp(person, at, times));
    if (made.type === "refused") throw new Error(made.reason);
    expect(readFileSync(join(made.tree.path, "a.txt"), "utf8")).toBe("changed\n");
    expect(readFileSync(join(made.tree.path, "new.txt"), "utf8")).toBe("new\n");
    expect(await person.must(["fsck", "--connectivity-only", "--no-dangling"])).toBe("");
  });

  test.each(MOMENTS)("before %s, without a commit", async (at) => {
    const person = await emptyRepository();
    writeFileSync(join(person.folder, "new.txt"), "new\n");
    const made = await createTree(creationIn(person.folder), cleanedUp(person, at, 1));
    if (made.type === "refused") throw new Error(made.reason);
    expect(readFileSync(join(made.tree.path, "new.txt"), "utf8")).toBe("new\n");
  });

  test("nor of one that goes on under a name that was merged", { tags: ["long"] }, async () => {
    const person = await repositoryWith({ "a.txt": "a\n" });
    const request = creationIn(person.folder);
    const claimed = await claimTree(request, groundOf(person));
    if (claimed.type === "refused") throw new Error(claimed.reason);
    writeFileSync(join(claimed.tree.path, "a.txt"), "of the agent\n");
    const { tree } = claimed;
    const { owner } = request;
    const merge = { tree, expects: null, hold: [], commit: null, owner, title: "t" };
    expect(await applyMerge(merge, groundOf(person))).toMatchObject({ type: "merged" });
    expect(await removeTree({ tree }, groundOf(person))).toEqual({ type: "done" });
    const again = await claimTree(request, cleanedUp(person, "update-ref refs/troupe/", 1));
    expect(again).toMatchObject({ type: "claimed", how: "created-again" });
    expect(readFileSync(join(tree.path, "a.txt"), "utf8")).toBe("of the agent\n");
    expect(await person.must(["fsck", "--connectivity-only", "--no-dangling"])).toBe("");
  });

  test("one that never ends is said, and leaves nothing", { tags: ["long"] }, async () => {
    const person = await repositoryWith({ "a.txt": "a\n" });
    writeFileSync(join(person.folder, "new.txt"), "new\n");
    const request = creationIn(person.folder);
    const answer = await createTree(request, cleanedUp(person, "update-ref refs/troupe/bases/", 99));
    expect(answer).toMatchObject({ type: "refused", reason: expect.stringContaining("could not be made") });
    expect(existsSync(treePath(person.folder, request.name))).toBe(false);
    expect(existsSync(treeRecordFolder(join(person.folder, ".git"), request.name))).toBe(false);
    expect(await person.must(["for-each-ref", "refs/troupe"])).toBe("");
  });
});
