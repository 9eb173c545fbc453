import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { repositoryWith } from "../support/git-repository.ts";
import { diffTree, listTrees, removeTree, restoreTree } from "./operations.ts";
import { aTree, DEAD, type TestTree, treeIn } from "./tree-of-tests.ts";

const named = (t: TestTree) => ({ folder: t.repository.folder, name: t.tree.name });

async function edited(): Promise<TestTree> {
  const t = await treeIn(
    await repositoryWith({ ".gitignore": ".env\n", "a.txt": "1\n", "b.txt": "b\n" }),
    "t1",
  );
  await t.snapshot();
  t.write("a.txt", "2\n");
  t.write("run.sh", "#!/bin/sh\n");
  chmodSync(t.at("run.sh"), 0o755);
  symlinkSync("a.txt", t.at("link"));
  rmSync(t.at("b.txt"));
  t.write(".env", "SECRET\n");
  await t.snapshot(["a.txt", "run.sh", "link", "b.txt", ".env"]);
  return t;
}

test("a removed tree is put back with all it held last, ignored files and modes too", {
  tags: ["long"],
}, async () => {
  const t = await edited();
  const before = await t.must(["status", "--porcelain"]);
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(await restoreTree(named(t), t.ground)).toEqual({
    type: "restored",
    path: t.tree.path,
    branch: t.tree.branch,
  });
  expect(readFileSync(t.at("a.txt"), "utf8")).toBe("2\n");
  expect(readFileSync(t.at(".env"), "utf8")).toBe("SECRET\n");
  expect(readFileSync(t.at("link"), "utf8")).toBe("2\n");
  expect(statSync(t.at("run.sh")).mode & 0o111).toBe(0o111);
  expect(existsSync(t.at("b.txt"))).toBe(false);
  expect(await t.must(["status", "--porcelain"])).toBe(before);
  expect((await t.snapshot()).changed).toEqual([]);
});

test("restores a worktree whose directory was deleted; does not overwrite an existing one", {
  tags: ["long"],
}, async () => {
  const t = await edited();
  expect(await restoreTree(named(t), t.ground)).toMatchObject({ type: "refused" });
  rmSync(t.tree.path, { recursive: true });
  expect(await restoreTree(named(t), t.ground)).toMatchObject({ type: "restored" });
  expect(readFileSync(t.at("a.txt"), "utf8")).toBe("2\n");
});

test("the diff is from the base to the newest snapshot, with ignored files last", {
  tags: ["long"],
}, async () => {
  const t = await edited();
  const answer = await diffTree(named(t), t.ground);
  if (answer.type !== "diff") throw new Error(answer.reason);
  expect(answer.counts).toEqual({ files: 5, insertions: 4, deletions: 2 });
  expect(answer.text).toMatch(/-1\n\+2\n/);
  expect(answer.text.indexOf(".env")).toBeGreaterThan(answer.text.indexOf("run.sh"));
  expect(await diffTree({ ...named(t), name: "nobody" }, t.ground)).toMatchObject({ type: "refused" });
});

test("the list has what stands, what is of the dead, and what is removed and kept", {
  tags: ["long"],
}, async () => {
  const t = await edited();
  const dead = await treeIn(t.repository, "t2", { owner: DEAD });
  const gone = await treeIn(t.repository, "t3", { owner: DEAD });
  gone.write("a.txt", "gone\n");
  await removeTree({ tree: gone.tree }, gone.ground);
  const listed = await listTrees({ folder: t.repository.folder }, t.ground);
  if (listed.type !== "trees") throw new Error(listed.reason);
  const short = listed.trees.map(({ name, path, alive, branch }) => ({ name, path, alive, branch }));
  expect(short).toEqual([
    { name: "t1", path: t.tree.path, alive: true, branch: "worktree-t1" },
    { name: "t2", path: dead.tree.path, alive: false, branch: "worktree-t2" },
    { name: "t3", path: null, alive: false, branch: null },
  ]);
  expect(listed.trees.map(({ counts }) => counts?.files)).toEqual([4, 0, 1]);
  const one = await listTrees({ folder: t.repository.folder, name: "t3" }, t.ground);
  expect(one).toEqual({ type: "trees", trees: listed.trees.filter(({ name }) => name === "t3") });
  const none = await listTrees({ folder: t.repository.folder, name: "t" }, t.ground);
  expect(none).toEqual({ type: "trees", trees: [] });
});

test("a repository without trees has an empty list", { tags: ["long"] }, async () => {
  const t = await aTree();
  await removeTree({ tree: t.tree }, t.ground);
  expect(await listTrees({ folder: t.repository.folder }, t.ground)).toEqual({ type: "trees", trees: [] });
});
