import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { baseRef, snapshotRef, treePath, treeRecordFolder, treesFolder } from "../../src/worktrees/layout.ts";
import { readRecord, writeRecord } from "../../src/worktrees/tree-record.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { creationIn } from "../support/worktree-ground.ts";
import { createTree, removeTree, sweep } from "./operations.ts";
import { aTree, DEAD, groundOf, treeIn } from "./tree-of-tests.ts";

test("only trees of the dead go, and of those only what is saved or empty (C10, C13)", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const living = await treeIn(repository, "living");
  const empty = await treeIn(repository, "empty", { owner: DEAD });
  const edits = await treeIn(repository, "edits", { owner: DEAD });
  const merged = await treeIn(repository, "merged", { owner: DEAD });
  const since = await treeIn(repository, "since", { owner: DEAD });
  for (const t of [edits, merged, since]) t.write("a.txt", `of ${t.tree.name}\n`);
  for (const t of [merged, since]) {
    await t.snapshot();
    const record = await readRecord(t.common, t.tree.name);
    if (record === null) throw new Error("there is no record");
    await writeRecord(t.common, t.tree.name, { ...record, result: "merged" });
  }
  since.write("a.txt", "after it was merged\n");
  // A resumed session leaves its own to its agents.
  const own = { folder: repository.folder, except: DEAD.session };
  expect(await sweep(own, groundOf(repository.env))).toMatchObject({ removed: [], left: [] });
  const answer = await sweep({ folder: repository.folder }, groundOf(repository.env));
  expect(answer).toEqual({
    type: "swept",
    removed: ["empty", "merged"],
    left: [
      { name: "edits", why: "1 changed file is in no checkout." },
      { name: "since", why: "1 changed file is in no checkout." },
    ],
    rolledBack: [],
  });
  expect([living, empty, edits, merged, since].map(({ tree }) => existsSync(tree.path))).toEqual([
    ...[true, false, true, false, true],
  ]);
  expect(await edits.show(`${snapshotRef("edits")}:a.txt`)).toBe("of edits\n");
  expect(await sweep({ folder: repository.folder }, groundOf(repository.env))).toMatchObject({ removed: [] });
});

test("removes what a crash left half made or half removed, but not the user's own prunable worktrees", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const half = await treeIn(repository, "half", { owner: DEAD, maker: DEAD.process, made: false });
  const deleted = await treeIn(repository, "deleted", { owner: DEAD });
  deleted.write("a.txt", "2\n");
  await deleted.snapshot();
  rmSync(deleted.tree.path, { recursive: true });
  await repository.must(["worktree", "add", "-q", "--detach", join(repository.folder, "theirs")]);
  rmSync(join(repository.folder, "theirs"), { recursive: true });
  await repository.must(["update-ref", baseRef("orphan"), half.tree.base]);
  const answer = await sweep({ folder: repository.folder }, groundOf(repository.env));
  expect(answer).toMatchObject({ removed: ["half", "deleted", "orphan"], left: [] });
  const listed = await repository.must(["worktree", "list", "--porcelain"]);
  expect(listed).toMatch(/theirs/);
  expect(listed).not.toMatch(/deleted|half/);
  expect(await deleted.show(`${snapshotRef("deleted")}:a.txt`)).toBe("2\n");
  expect(existsSync(treeRecordFolder(half.common, "half"))).toBe(false);
});

test("a half-made tree that a record names in another place than this repository's is not removed", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const theirs = await repositoryWith({ "b.txt": "1\n" });
  const other = await treeIn(theirs, "half");
  other.write("b.txt", "of an agent at work\n");
  const linked = treePath(repository.folder, "linked");
  mkdirSync(join(theirs.folder, "linked"));
  writeFileSync(join(theirs.folder, "linked", "f"), "theirs\n");
  mkdirSync(dirname(dirname(linked)), { recursive: true });
  symlinkSync(theirs.folder, dirname(linked));
  const common = join(repository.folder, ".git");
  const more = { owner: DEAD, maker: DEAD.process, at: 1, made: false, linked: [], result: null };
  await writeRecord(common, "half", { ...more, tree: other.tree });
  await writeRecord(common, "linked", {
    ...more,
    tree: { ...other.tree, name: "linked", path: linked, checkout: repository.folder },
  });
  await writeRecord(common, "b", { ...more, tree: { ...other.tree, name: "b", path: theirs.folder } });
  await sweep({ folder: repository.folder }, groundOf(repository.env));
  expect(readFileSync(other.at("b.txt"), "utf8")).toBe("of an agent at work\n");
  expect(readFileSync(join(theirs.folder, "linked", "f"), "utf8")).toBe("theirs\n");
  expect(await theirs.must(["worktree", "list"])).toMatch(/half/);
});

test("a file that a full disk left empty does not let git see the trees, and goes with the last one", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const folder = treesFolder(repository.folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".gitignore"), "");
  const ground = groundOf(repository.env);
  const made = await createTree(creationIn(repository.folder), ground);
  if (made.type !== "created") throw new Error(made.reason);
  expect(made.notes).toEqual([]);
  expect(await repository.must(["status", "--porcelain"])).toBe("");
  expect(await removeTree({ tree: made.tree }, ground)).toEqual({ type: "done" });
  expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
});

test("a record that cannot be read is no leave to remove anything", { tags: ["long"] }, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const t = await treeIn(repository, "t1", { owner: DEAD });
  writeFileSync(join(treeRecordFolder(t.common, "t1"), "owner.json"), "{");
  expect(await readRecord(t.common, "t1")).toBeNull();
  expect(await sweep({ folder: repository.folder }, t.ground)).toMatchObject({
    removed: [],
    left: [{ name: "t1" }],
  });
  expect(existsSync(t.tree.path)).toBe(true);
});

test("index files that a killed keeper was using go, those of a living one stay", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const ground = groundOf(repository.env);
  const ours = join(repository.folder, ".git", "troupe");
  mkdirSync(ours);
  const dead = ["checkout-4194303-a1", "checkout-4194303-a1.lock", "merge-4194303-b2"];
  const living = `merge-${process.pid}-c3`;
  for (const name of [...dead, living]) writeFileSync(join(ours, name), "");
  expect(await sweep({ folder: repository.folder }, ground)).toMatchObject({ type: "swept" });
  expect(readdirSync(ours).filter((name) => !name.startsWith("lock."))).toEqual([living]);
});

test("a record that a killed keeper was just writing goes, that of a living one stays (issue 15, 28)", async () => {
  const t = await aTree();
  const folder = join(t.common, "troupe", "trees", "t1");
  for (const pid of [4_194_303, process.pid]) writeFileSync(join(folder, `owner.json.${pid}`), "{");
  expect(await sweep({ folder: t.repository.folder }, t.ground)).toMatchObject({ type: "swept" });
  expect(readdirSync(folder).sort()).toEqual(["owner.json", `owner.json.${process.pid}`]);
});

test("locks of our refs that a killed git has left go after a minute, others never", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const ground = groundOf(repository.env);
  const git = join(repository.folder, ".git");
  const ours = ["refs/heads/worktree-t1.lock", "refs/troupe/trees/t1.lock"];
  const theirs = ["refs/heads/main.lock", "index.lock"];
  mkdirSync(join(git, "refs/troupe/trees"), { recursive: true });
  for (const name of [...ours, ...theirs]) writeFileSync(join(git, name), "");
  const there = () => [...ours, ...theirs].filter((name) => existsSync(join(git, name)));
  await sweep({ folder: repository.folder }, ground);
  expect(there()).toEqual([...ours, ...theirs]);
  await sweep({ folder: repository.folder }, { ...ground, now: () => Date.now() + 61_000 });
  expect(there()).toEqual(theirs);
});

test("removes what a killed git left of packing refs after ten minutes, unless a gc runs; then git works again", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const ground = groundOf(repository.env);
  const git = join(repository.folder, ".git");
  await repository.must(["branch", "old"]);
  for (const name of ["packed-refs.lock", "packed-refs.new"]) writeFileSync(join(git, name), "");
  const left = async (minutes: number) => {
    await sweep({ folder: repository.folder }, { ...ground, now: () => Date.now() + minutes * 60_000 });
    return ["packed-refs.lock", "packed-refs.new"].filter((name) => existsSync(join(git, name)));
  };
  expect(await left(9)).toHaveLength(2);
  writeFileSync(join(git, "gc.pid"), `${process.pid} ${hostname()}`);
  expect(await left(11)).toHaveLength(2);
  rmSync(join(git, "gc.pid"));
  expect((await repository.git.run(["branch", "-D", "old"])).code).not.toBe(0);
  expect(await left(11)).toEqual([]);
  await repository.must(["branch", "-D", "old"]);
  await repository.must(["pack-refs", "--all"]);
});

test("the lock that a killed git of Troupe's has left of packing refs goes immediately, another program's stays (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const git = join(repository.folder, ".git");
  const ground = groundOf(repository.env);
  const note = join(git, "troupe", "deleting-4194303-refs-heads-worktree-t1");
  const files = ["packed-refs.lock", "packed-refs.new"].map((name) => join(git, name));
  const sweepWith = async (lockedMsAfter: number) => {
    mkdirSync(join(git, "troupe"), { recursive: true });
    symlinkSync(JSON.stringify(DEAD.process), note);
    for (const file of files) writeFileSync(file, "");
    const begun = Date.now() / 1_000 - 60;
    lutimesSync(note, begun, begun);
    for (const file of files) utimesSync(file, begun, begun + lockedMsAfter / 1_000);
    await sweep({ folder: repository.folder }, ground);
    expect(lstatSync(note, { throwIfNoEntry: false })).toBeUndefined();
    return files.filter((file) => existsSync(file));
  };
  // One that was made long after is another program's.
  expect(await sweepWith(20_000)).toEqual(files);
  writeFileSync(join(git, "gc.pid"), `${process.pid} ${hostname()}`);
  expect(await sweepWith(10)).toEqual(files);
  rmSync(join(git, "gc.pid"));
  expect(await sweepWith(10)).toEqual([]);
  await repository.must(["pack-refs", "--all"]);
});

test("the directory of trees that were never made goes, and merged files that were never shown", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const ground = groundOf(repository.env);
  const t = await treeIn(repository, "t1", { owner: DEAD });
  t.write("a.txt", "2\n");
  const trees = join(repository.folder, ".claude", "worktrees");
  mkdirSync(join(trees, ".shown-t1"));
  await t.snapshot();
  await t.must(["checkout", "-q", "a.txt"]);
  expect(await sweep({ folder: repository.folder }, ground)).toMatchObject({ removed: ["t1"] });
  expect(existsSync(join(trees, ".shown-t1"))).toBe(false);
  mkdirSync(trees, { recursive: true });
  writeFileSync(join(trees, ".gitignore"), "*\n");
  expect(await sweep({ folder: repository.folder }, ground)).toMatchObject({ type: "swept" });
  expect(existsSync(join(repository.folder, ".claude"))).toBe(false);
});

test("a record that its maker died over, before there was a tree, goes", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const ground = groundOf(repository.env);
  const folder = (name: string) => treeRecordFolder(join(repository.folder, ".git"), name);
  for (const name of ["empty", "torn", "living"]) mkdirSync(folder(name), { recursive: true });
  writeFileSync(join(folder("torn"), "owner.json.4194303"), "{");
  writeFileSync(join(folder("living"), `owner.json.${process.pid}`), "{");
  const swept = await sweep({ folder: repository.folder }, ground);
  expect(swept).toMatchObject({ removed: ["empty", "torn"], left: [{ name: "living" }] });
  expect(["empty", "torn", "living"].filter((name) => existsSync(folder(name)))).toEqual(["living"]);
});
