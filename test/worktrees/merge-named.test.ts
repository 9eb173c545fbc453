import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repositoryWith } from "../support/git-repository.ts";
import { persons, put } from "./merge/scene.ts";
import { keepTree, listTrees, mergeNamedTree, removeTree, restoreTree, undoMerge } from "./operations.ts";
import { DEAD, type TestTree, treeIn } from "./tree-of-tests.ts";

const merge = (t: TestTree, deletions: "ask" | "do" | "hold" = "ask") =>
  mergeNamedTree({ folder: t.repository.folder, name: t.tree.name, deletions }, t.ground);
const listed = async (t: TestTree) => {
  const answer = await listTrees({ folder: t.repository.folder }, t.ground);
  return answer.type === "trees" ? answer.trees.find(({ name }) => name === t.tree.name) : answer;
};
const read = (t: TestTree, path: string) => readFileSync(join(t.repository.folder, path), "utf8");

/** Its session is over, and its edits stayed on its branch. */
async function kept(edit: (t: TestTree) => void): Promise<TestTree> {
  const repository = await repositoryWith({ "a.txt": "1\n2\n3\n4\n5\n", "b.txt": "b\n", "c.txt": "c\n" });
  const t = await treeIn(repository, "t1", { owner: DEAD });
  edit(t);
  expect(await keepTree({ tree: t.tree, message: "Kept" }, t.ground)).toMatchObject({ type: "kept" });
  return t;
}

test("merges edits that stayed on their branch next to the user's changes, and can be undone", {
  tags: ["long"],
}, async () => {
  const t = await kept((tree) => tree.write("a.txt", "agent\n2\n3\n4\n5\n"));
  put(t.repository.folder, { "a.txt": "1\n2\n3\n4\nmine\n", "b.txt": "mine\n" });
  await t.repository.must(["add", "b.txt"]);
  const before = { mine: await persons(t.repository), a: read(t, "a.txt") };
  const answer = await merge(t);
  expect(answer).toMatchObject({
    ...{ type: "merged", files: 1, insertions: 1, deletions: 1, paths: ["a.txt"], held: [], notes: [] },
    checkout: t.repository.folder,
  });
  expect(read(t, "a.txt")).toBe("agent\n2\n3\n4\nmine\n");
  expect(existsSync(t.tree.path)).toBe(false);
  expect(await t.repository.must(["branch", "--list", t.tree.branch])).toBe("");
  expect(await undoMerge({ folder: t.repository.folder, which: "t1", force: false }, t.ground)).toMatchObject(
    {
      type: "undone",
    },
  );
  expect({ mine: await persons(t.repository), a: read(t, "a.txt") }).toEqual(before);
});

test("also of a tree that was taken away, whose snapshots have them", { tags: ["long"] }, async () => {
  const t = await kept((tree) => tree.write("new.txt", "new\n"));
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(await merge(t)).toMatchObject({ type: "merged", paths: ["new.txt"] });
  expect(read(t, "new.txt")).toBe("new\n");
  expect(await merge(t), "a second time").toEqual({ type: "already", notes: [] });
  expect(await listed(t)).toMatchObject({ path: null, result: "merged", undone: false });
  await undoMerge({ folder: t.repository.folder, which: "t1", force: false }, t.ground);
  expect(await listed(t), "what was taken back is not merged any more").toMatchObject({ undone: true });
  expect(await merge(t), "and comes in again").toMatchObject({ type: "merged", paths: ["new.txt"] });
  expect(await listed(t)).toMatchObject({ undone: false });
});

test("does not merge edits again that were merged already, whatever changed since; newer ones are", {
  tags: ["long"],
}, async () => {
  const t = await kept((tree) => tree.write("a.txt", "1\nagent\n3\n4\n5\n"));
  expect(await merge(t)).toMatchObject({ type: "merged", paths: ["a.txt"] });
  put(t.repository.folder, { "a.txt": "mine\nagent\n3\n4\n5\n" });
  const before = { mine: await persons(t.repository), a: read(t, "a.txt") };
  expect(await merge(t), "of a tree that is gone").toEqual({ type: "already", notes: [] });
  expect(existsSync(t.tree.path)).toBe(false);
  await restoreTree({ folder: t.repository.folder, name: "t1" }, t.ground);
  expect(await merge(t), "of one that was put back").toEqual({ type: "already", notes: [] });
  expect({ mine: await persons(t.repository), a: read(t, "a.txt") }).toEqual(before);
  expect(await listed(t)).toMatchObject({ path: null, result: "merged" });

  await restoreTree({ folder: t.repository.folder, name: "t1" }, t.ground);
  t.write("b.txt", "newer\n");
  expect(await merge(t)).toMatchObject({ type: "merged", files: 1, paths: ["b.txt"] });
  expect({ a: read(t, "a.txt"), b: read(t, "b.txt") }).toEqual({ a: before.a, b: "newer\n" });
  expect(await merge(t), "of both").toEqual({ type: "already", notes: [] });

  const undo = (which: string) => undoMerge({ folder: t.repository.folder, which, force: true }, t.ground);
  expect(await undo("t1")).toMatchObject({ type: "undone", paths: ["b.txt"] });
  expect(await merge(t), "what was taken back").toMatchObject({ type: "merged", paths: ["b.txt"] });
});

test("a merge that was undone below a newer one does not count as merged", {
  tags: ["long"],
}, async () => {
  const t = await kept((tree) => tree.write("a.txt", "agent\n"));
  const first = await merge(t);
  await restoreTree({ folder: t.repository.folder, name: "t1" }, t.ground);
  t.write("b.txt", "newer\n");
  expect(await merge(t)).toMatchObject({ type: "merged", paths: ["b.txt"] });
  const which = first.type === "merged" ? first.merge : null;
  expect(await undoMerge({ folder: t.repository.folder, which, force: false }, t.ground)).toMatchObject({
    paths: ["a.txt"],
  });
  expect(await merge(t)).toMatchObject({ type: "merged", paths: ["a.txt"] });
  expect(read(t, "a.txt")).toBe("agent\n");
});

test("asks first about what it deletes, as it is no longer known whether that was meant (C15)", {
  tags: ["long"],
}, async () => {
  const t = await kept((tree) => {
    tree.write("a.txt", "agent\n");
    rmSync(tree.at("b.txt"));
    rmSync(tree.at("c.txt"));
  });
  expect(await merge(t)).toEqual({ type: "deletes", paths: ["b.txt", "c.txt"] });
  expect(read(t, "a.txt")).toBe("1\n2\n3\n4\n5\n");
  expect(await merge(t, "hold")).toMatchObject({
    type: "merged",
    held: ["b.txt", "c.txt"],
    paths: ["a.txt"],
  });
  expect(read(t, "b.txt")).toBe("b\n");
  expect(await merge(t, "hold"), "nothing else is left to do").toEqual({
    type: "deletes",
    paths: ["b.txt", "c.txt"],
  });
  expect(await merge(t, "do"), "they can go later").toMatchObject({
    type: "merged",
    paths: ["b.txt", "c.txt"],
  });

  const other = await kept((tree) => rmSync(tree.at("b.txt")));
  expect(await merge(other, "do")).toMatchObject({ type: "merged", held: [], paths: ["b.txt"] });
  expect(existsSync(join(other.repository.folder, "b.txt"))).toBe(false);
});

test("a conflict is named with its files and changes nothing", { tags: ["long"] }, async () => {
  const t = await kept((tree) => tree.write("a.txt", "agent\n2\n3\n4\n5\n"));
  put(t.repository.folder, { "a.txt": "mine\n2\n3\n4\n5\n" });
  expect(await merge(t)).toMatchObject({
    type: "conflict",
    conflicts: [{ path: "a.txt" }],
    path: t.tree.path,
    branch: t.tree.branch,
  });
  expect(read(t, "a.txt")).toBe("mine\n2\n3\n4\n5\n");
  expect(existsSync(t.tree.path)).toBe(true);
});

test("refuses a worktree in which an agent works, and one that never existed", async () => {
  const t = await treeIn(await repositoryWith({ a: "1\n" }), "t1");
  t.write("a", "2\n");
  expect(await merge(t)).toEqual({
    type: "refused",
    reason: `The session of t1 is still running (pid ${process.pid}), and brings its edits back itself.`,
  });
  const folder = t.repository.folder;
  expect(await mergeNamedTree({ folder, name: "none", deletions: "do" }, t.ground)).toMatchObject({
    type: "refused",
    reason: expect.stringContaining("There is no worktree none"),
  });
});
