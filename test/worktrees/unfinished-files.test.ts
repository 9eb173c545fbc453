import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../support/git-repository.ts";
import { mergeNamedTree, removeTree } from "./operations.ts";
import { aTree, DEAD, treeIn } from "./tree-of-tests.ts";

/** As a call of Write names it. */
const UNFINISHED = "own/.troupe-4n6b4j5leiyu84n1.12.0-4ce79caa-3777-4e3e-bd82-8522d41dc88b.tmp";

test("what a killed call was writing is no edit: it is in no snapshot, and goes with the tree (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const t = await aTree({ "a.txt": "1\n" });
  t.write(UNFINISHED, "half");
  t.write(".troupe-notes.tmp", "an edit like any other\n");
  expect((await t.snapshot()).changed.map(({ path }) => path)).toEqual([".troupe-notes.tmp"]);
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
});

test("bringing in the edits of a killed agent by name leaves it out (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const t = await treeIn(await repositoryWith({ "a.txt": "1\n" }), "t1", { owner: DEAD });
  t.write(UNFINISHED, "half");
  t.write("a.txt", "2\n");
  const request = { folder: t.repository.folder, name: t.tree.name, deletions: "hold" as const };
  expect(await mergeNamedTree(request, t.ground)).toMatchObject({
    type: "merged",
    files: 1,
    paths: ["a.txt"],
  });
  expect(existsSync(join(t.repository.folder, "own"))).toBe(false);
});
