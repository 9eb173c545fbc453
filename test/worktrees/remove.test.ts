// @module-tag long
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { baseRef, ignoredRef, snapshotRef, treeRecordFolder } from "../../src/worktrees/layout.ts";
import { markRemoval, readRecord, writeRecord } from "../../src/worktrees/tree-record.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { keepTree, removeNamedTree, removeTree } from "./operations.ts";
import { aTree, DEAD, type TestTree, treeIn } from "./tree-of-tests.ts";

const remove = (t: TestTree) => removeTree({ tree: t.tree }, t.ground);
const refs = (t: TestTree) => t.repository.must(["for-each-ref", "--format=%(refname)"]);

test("a tree without edits leaves nothing at all behind (C13)", async () => {
  const t = await aTree();
  expect(await remove(t)).toEqual({ type: "done" });
  expect(existsSync(join(t.repository.folder, ".claude"))).toBe(false);
  expect(existsSync(treeRecordFolder(t.common, "t1"))).toBe(false);
  expect(await refs(t)).toBe("refs/heads/main\n");
  expect(await t.repository.must(["worktree", "list", "--porcelain"])).not.toMatch(/t1/);
});

test.each([
  ["that git ignores", ".gitignore", "cache/\n"],
  ["with an untracked file", "a.txt", "1\n"],
])("a directory %s that a program has made read-only goes with the tree", async (_, name, content) => {
  const t = await treeIn(await repositoryWith({ [name]: content, "b.txt": "b\n" }), "t1");
  const deep = join(t.tree.path, "cache/mod/deep");
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, "file"), "made\n", { mode: 0o444 });
  // As Go does with its cache of modules.
  for (const dir of [deep, join(deep, "..")]) chmodSync(dir, 0o555);
  expect(await remove(t)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
});

test("what is left of one whose putting back was killed in git is removed (issue 15, 28)", async () => {
  const t = await aTree();
  markRemoval(t.common, "t1", t.tree.base);
  rmSync(join(t.common, "worktrees", "t1"), { recursive: true });
  rmSync(join(t.tree.path, "a.txt"));
  rmSync(join(t.tree.path, "b"), { recursive: true });
  expect(await remove(t)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
});

test("git that was killed while it removed its own entry of a worktree leaves no trace (issue 15, 28)", async () => {
  const t = await aTree();
  markRemoval(t.common, "t1", t.tree.base);
  rmSync(t.tree.path, { recursive: true });
  const entry = join(t.common, "worktrees", "t1");
  for (const name of readdirSync(entry)) if (name !== "index") rmSync(join(entry, name), { recursive: true });
  expect(await remove(t)).toEqual({ type: "done" });
  expect(existsSync(entry)).toBe(false);
});

test("the names of both sides that a killed rebase left go with the tree (issue 15, 28)", async () => {
  const t = await aTree();
  for (const side of ["checkout", "agent"])
    await t.repository.must(["update-ref", `refs/troupe/sides/t1/${side}`, t.tree.base]);
  expect(await remove(t)).toEqual({ type: "done" });
  expect(await refs(t)).toBe("refs/heads/main\n");
});

test("where the marks of a settled conflict stood is forgotten with it; of an open one it stays (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  for (const [result, stays] of [
    ["merged", false],
    ["conflict", true],
  ] as const) {
    const t = await treeIn(await repositoryWith({ "a.txt": "1\n" }), "t1", { result });
    t.write("a.txt", "2\n");
    await t.snapshot();
    await writeRecord(t.common, "t1", { ...(await recordOf(t)), result });
    const marked = join(treeRecordFolder(t.common, "t1"), "marked.json");
    writeFileSync(marked, JSON.stringify({ name: "troupe/sides/t1", paths: ["a.txt"] }));
    expect(await remove(t)).toEqual({ type: "done" });
    expect(existsSync(marked)).toBe(stays);
  }
});

async function recordOf(t: TestTree) {
  const record = await readRecord(t.common, "t1");
  if (record === null) throw new Error("no record");
  return record;
}

test("saves everything in Troupe's refs first, staged and committed content too (C10)", {
  tags: ["long"],
}, async () => {
  const t = await treeIn(await repositoryWith({ ".gitignore": ".env\n", "a.txt": "1\n" }), "t1");
  await t.snapshot();
  t.write(".env", "SECRET\n");
  await t.snapshot([".env"]);
  t.write("a.txt", "staged, then changed\n");
  await t.must(["add", "a.txt"]);
  const staged = (await t.must(["rev-parse", ":a.txt"])).trim();
  t.write("a.txt", "never snapshotted\n");
  await t.must(["update-ref", "refs/worktree/mine", await commitOfNothing(t)]);
  const own = (await t.must(["rev-parse", "refs/worktree/mine"])).trim();
  expect(await remove(t)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
  await t.repository.must(["gc", "-q", "--prune=now"]);
  expect(await t.show(`${snapshotRef("t1")}:a.txt`)).toBe("never snapshotted\n");
  expect(await t.show(`${ignoredRef("t1")}:.env`)).toBe("SECRET\n");
  expect(await t.show(staged)).toBe("staged, then changed\n");
  await t.repository.must(["merge-base", "--is-ancestor", own, snapshotRef("t1")]);
  expect(await refs(t)).not.toMatch(/heads\/worktree-t1/);
  expect(readdirSync(treeRecordFolder(t.common, "t1"))).toEqual(["owner.json"]);
});

async function commitOfNothing(t: TestTree): Promise<string> {
  return (await t.must(["commit-tree", `${t.tree.base}^{tree}`, "-m", "of a ref of its own"])).trim();
}

test("a branch with the kept commit goes where the snapshots have it", { tags: ["long"] }, async () => {
  const t = await aTree();
  t.write("a.txt", "1\n");
  const kept = await keepTree({ tree: t.tree, message: "m" }, t.ground);
  if (kept.type !== "kept") throw new Error(kept.type);
  expect(await remove(t)).toEqual({ type: "done" });
  await t.repository.must(["merge-base", "--is-ancestor", kept.commit, snapshotRef("t1")]);
  expect(await refs(t)).not.toMatch(/heads\/worktree-t1/);
});

test("a branch with commits that are not of the tree stays", { tags: ["long"] }, async () => {
  const t = await aTree();
  await t.must(["checkout", "-q", "--detach"]);
  const other = await t.repository.commit("Somebody else's");
  await t.repository.must(["update-ref", `refs/heads/${t.tree.branch}`, other]);
  expect(await remove(t)).toEqual({ type: "done" });
  expect((await t.repository.must(["rev-parse", t.tree.branch])).trim()).toBe(other);
});

test("a linked folder goes as a link: what it leads to stays", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const target = join(repository.folder, "node_modules");
  mkdirSync(target);
  writeFileSync(join(target, "canary"), "alive");
  const t = await treeIn(repository, "t1", { linked: ["node_modules"] });
  symlinkSync(target, t.at("node_modules"));
  expect(await remove(t)).toEqual({ type: "done" });
  expect(readFileSync(join(target, "canary"), "utf8")).toBe("alive");
});

test("a repository within it is saved nowhere, so the tree stays (C10)", async () => {
  const t = await aTree();
  mkdirSync(t.at("inner"));
  execFileSync("git", ["init", "-q"], { cwd: t.at("inner"), env: t.repository.env });
  t.write("inner/x", "x");
  const answer = await remove(t);
  expect(answer).toMatchObject({ type: "refused", reason: expect.stringMatching(/saved nowhere: inner/) });
  expect(existsSync(t.at("inner/x"))).toBe(true);
});

test("what cannot be looked at is not clean (C10)", async () => {
  const t = await aTree();
  writeFileSync(join(t.common, "worktrees", "t1", "HEAD"), "rubbish");
  t.write("a.txt", "1\n");
  expect(await remove(t)).toMatchObject({ type: "refused" });
  expect(existsSync(t.at("a.txt"))).toBe(true);
});

test("a directory that is not the tree of our record is never touched", async () => {
  const t = await aTree();
  const elsewhere = join(t.repository.folder, "precious");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "x"), "x");
  expect(await removeTree({ tree: { ...t.tree, path: elsewhere } }, t.ground)).toMatchObject({
    type: "refused",
  });
  await t.repository.must(["worktree", "remove", "--force", t.tree.path]);
  mkdirSync(t.tree.path, { recursive: true });
  t.write("x", "not the tree any more");
  expect(await remove(t)).toMatchObject({ type: "refused" });
  expect(existsSync(t.at("x"))).toBe(true);
  expect(existsSync(join(elsewhere, "x"))).toBe(true);
});

test("leaves a locked worktree alone, and one that contains another", async () => {
  const t = await aTree();
  await t.repository.must(["worktree", "lock", t.tree.path]);
  expect(await remove(t)).toMatchObject({ reason: expect.stringMatching(/is locked/) });
  await t.repository.must(["worktree", "unlock", t.tree.path]);
  await t.must(["worktree", "add", "-q", "--detach", t.at(".claude/worktrees/inner")]);
  expect(await remove(t)).toMatchObject({ reason: expect.stringMatching(/stands within/) });
});

test("finishes a removal that a crash cut off, and does not take missing files for deleted", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  t.write("a.txt", "precious\n");
  const { commit } = await t.snapshot();
  markRemoval(t.common, "t1", commit);
  rmSync(t.at("a.txt"));
  expect(await remove(t)).toEqual({ type: "done" });
  expect(await t.show(`${snapshotRef("t1")}:a.txt`)).toBe("precious\n");
  expect(await remove(t)).toEqual({ type: "done" });
});

test("by name: edits that are in no checkout need force, and their refs stay even then", {
  tags: ["long"],
}, async () => {
  const t = await treeIn(await repositoryWith({ "a.txt": "1\n" }), "t1", { owner: DEAD });
  const ask = (force: boolean) =>
    removeNamedTree({ folder: t.repository.folder, name: "t1", force }, t.ground);
  t.write("a.txt", "2\n");
  expect(await ask(false)).toEqual({ type: "unsaved", paths: ["a.txt"] });
  expect(await ask(true)).toEqual({ type: "removed", ref: snapshotRef("t1") });
  expect(existsSync(t.tree.path)).toBe(false);
  expect(await t.show(`${snapshotRef("t1")}:a.txt`)).toBe("2\n");
  expect(await ask(false)).toMatchObject({ type: "removed" });
  expect(await refs(t)).toContain(baseRef("t1"));
  expect(
    await removeNamedTree({ folder: t.repository.folder, name: "nobody", force: true }, t.ground),
  ).toMatchObject({
    type: "refused",
  });
});

test("by name: merged edits need no force, those of a living session are left alone", async () => {
  const t = await aTree();
  t.write("a.txt", "2\n");
  await t.snapshot();
  const ask = () => removeNamedTree({ folder: t.repository.folder, name: "t1", force: false }, t.ground);
  expect(await ask()).toMatchObject({ type: "refused", reason: expect.stringMatching(/still running/) });
  const record = await readRecord(t.common, "t1");
  if (record === null) throw new Error("there is no record");
  await writeRecord(t.common, "t1", { ...record, owner: DEAD, result: "merged" });
  expect(await ask()).toMatchObject({ type: "removed" });
});

test("a tree whose .git an agent deleted is saved and removed all the same", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const t = await treeIn(repository, "t1");
  t.write("a.txt", "2\n");
  rmSync(t.at(".git"));
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  expect(existsSync(t.tree.path)).toBe(false);
  expect(await repository.must(["worktree", "list", "--porcelain"])).not.toContain("t1");
  expect(await t.show(`${snapshotRef("t1")}:a.txt`)).toBe("2\n");
});
