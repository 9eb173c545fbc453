// @module-tag long
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../../src/worktrees/git.ts";
import { ignoredRef, snapshotRef, treeRecordFolder } from "../../src/worktrees/layout.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { unless } from "../support/needs.ts";
import { removeTree, snapshotTree } from "./operations.ts";
import { aTree, treeIn } from "./tree-of-tests.ts";

test("what an agent wrote, changed and deleted is in the snapshot, and named as such", async () => {
  const t = await aTree();
  t.write("a.txt", "1\n");
  t.write("new/deep.txt", "new\n");
  rmSync(t.at("b/c.txt"));
  const { commit, changed, notes } = await t.snapshot();
  expect(changed).toEqual([
    { path: "a.txt", change: "modified" },
    { path: "b/c.txt", change: "deleted" },
    { path: "new/deep.txt", change: "added" },
  ]);
  expect(notes).toEqual([]);
  expect(await t.show(`${commit}:new/deep.txt`)).toBe("new\n");
  expect((await t.repository.must(["rev-parse", snapshotRef("t1")])).trim()).toBe(commit);
  expect((await t.repository.must(["rev-parse", `${commit}^`])).trim()).toBe(t.tree.base);
});

test("a snapshot without changes is the one before it, or the base if there never were any", async () => {
  const t = await aTree();
  expect(await t.snapshot()).toEqual({ type: "taken", commit: t.tree.base, changed: [], notes: [] });
  t.write("a.txt", "1\n");
  const { commit } = await t.snapshot(["a.txt"]);
  expect(await t.snapshot()).toEqual({ type: "taken", commit, changed: [], notes: [] });
});

test("of named files only those are looked at, also where they were deleted or never were", async () => {
  const t = await aTree();
  await t.snapshot();
  t.write("a.txt", "1\n");
  t.write("other.txt", "not named\n");
  rmSync(t.at("b/c.txt"));
  const { changed } = await t.snapshot(["a.txt", "b/c.txt", "never.txt", "[a]*.txt"]);
  expect(changed.map(({ path }) => path)).toEqual(["a.txt", "b/c.txt"]);
  expect((await t.snapshot()).changed.map(({ path }) => path)).toEqual(["other.txt"]);
});

test("an ignored file is kept where it was written by name, in a chain that is never merged", async () => {
  const t = await treeIn(await repositoryWith({ ".gitignore": ".env\nbuild/\n", "a.txt": "1\n" }), "t1");
  await t.snapshot();
  t.write(".env", "SECRET=1\n");
  t.write("build/x.js", "x\n");
  t.write("build/unnamed.js", "y\n");
  t.write("a.txt", "2\n");
  const { commit, notes } = await t.snapshot(["a.txt", ".env", "build/x.js"]);
  expect(notes).toEqual([]);
  const inMain = await t.repository.must(["ls-tree", "-r", "--name-only", commit]);
  expect(inMain).toBe(".gitignore\na.txt\n");
  const ignored = await t.repository.must(["ls-tree", "-r", "--name-only", ignoredRef("t1")]);
  expect(ignored).toBe(".env\nbuild/x.js\n");
  t.write(".env", "SECRET=2\n");
  await t.snapshot();
  expect(await t.show(`${ignoredRef("t1")}:.env`)).toBe("SECRET=2\n");
  expect(await t.show(`${ignoredRef("t1")}^:.env`)).toBe("SECRET=1\n");
});

test("ignored files of the very first snapshot are kept too", async () => {
  const t = await treeIn(await repositoryWith({ ".gitignore": ".env\n" }), "t1");
  t.write(".env", "SECRET=1\n");
  await t.snapshot([".env"]);
  expect(await t.show(`${ignoredRef("t1")}:.env`)).toBe("SECRET=1\n");
});

test("what an agent committed stays reachable, also after a reset in the same command", async () => {
  const t = await aTree();
  t.write("a.txt", "committed, then reset\n");
  await t.must(["commit", "-qam", "One"]);
  const lost = (await t.must(["rev-parse", "HEAD"])).trim();
  await t.must(["reset", "-q", "--hard", "HEAD^"]);
  t.write("a.txt", "amended once\n");
  await t.must(["commit", "-qam", "Two"]);
  const { commit } = await t.snapshot();
  const parents = (await t.repository.must(["rev-parse", `${commit}^@`])).trim().split("\n");
  expect(parents).toContain(lost);
  expect(parents).toContain((await t.must(["rev-parse", "HEAD"])).trim());
  const again = await t.snapshot();
  expect(again.commit).toBe(commit);
});

test("commits that changed nothing in the end are held as well", async () => {
  const t = await aTree();
  await t.snapshot();
  t.write("a.txt", "there and back\n");
  await t.must(["commit", "-qam", "There"]);
  const there = (await t.must(["rev-parse", "HEAD"])).trim();
  await t.must(["reset", "-q", "--hard", "HEAD^"]);
  const { commit, changed } = await t.snapshot();
  expect(changed).toEqual([]);
  await t.repository.must(["merge-base", "--is-ancestor", there, commit]);
});

test("a repository within the tree is left out and said, and all else is kept", async () => {
  const t = await aTree();
  for (const [name, commits] of [
    ["empty", false],
    ["full", true],
  ] as const) {
    mkdirSync(t.at(name));
    execFileSync("git", ["init", "-q"], { cwd: t.at(name), env: t.repository.env });
    t.write(`${name}/x.txt`, "x\n");
    if (!commits) continue;
    execFileSync("git", ["add", "-A"], { cwd: t.at(name), env: t.repository.env });
    execFileSync("git", ["commit", "-qm", "x"], { cwd: t.at(name), env: t.repository.env });
  }
  t.write("a.txt", "1\n");
  const { changed, notes } = await t.snapshot();
  expect(changed).toEqual([{ path: "a.txt", change: "modified" }]);
  expect(notes.join("\n")).toMatch(/full is a repository of its own/);
  expect(notes.join("\n")).toMatch(/empty/);
  t.write("b/c.txt", "1\n");
  expect((await t.snapshot()).changed).toEqual([{ path: "b/c.txt", change: "modified" }]);
});

test("sockets, pipes, names in invalid UTF-8 and a failing filter do not keep anything else out", async () => {
  const t = await aTree();
  await t.repository.must(["config", "filter.broken.clean", "false"]);
  await t.repository.must(["config", "filter.broken.required", "true"]);
  await t.snapshot();
  execFileSync("mkfifo", [t.at("pipe")]);
  rmSync(t.at("b/c.txt"));
  execFileSync("mkfifo", [t.at("b/c.txt")]);
  const odd = Buffer.concat([Buffer.from(`${t.tree.path}/odd`), Buffer.from([0xff]), Buffer.from(".txt")]);
  writeFileSync(odd, "odd\n");
  t.write(".gitattributes", "*.bad filter=broken\n");
  t.write("x.bad", "raw\n");
  t.write("a.txt", "1\n");
  const { commit, notes } = await t.snapshot();
  expect(await t.show(`${commit}:a.txt`)).toBe("1\n");
  expect(await t.show(`${commit}:x.bad`)).toBe("raw\n");
  expect(notes.join("\n")).toMatch(/x\.bad is in the snapshot as it is, without the filter/);
  expect(notes.join("\n")).toMatch(/b\/c\.txt/);
});

test("what came along from the checkout is no edit", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  mkdirSync(join(repository.folder, "deps"));
  const t = await treeIn(repository, "t1", { linked: ["deps"] });
  symlinkSync(join(repository.folder, "deps"), t.at("deps"));
  expect((await t.snapshot()).changed).toEqual([]);
  expect((await t.snapshot(["deps/x"])).changed).toEqual([]);
});

test("a file that was hidden from git is not hidden from us", async () => {
  const t = await aTree();
  await t.must(["update-index", "--assume-unchanged", "a.txt"]);
  await t.must(["update-index", "--skip-worktree", "b/c.txt"]);
  t.write("a.txt", "1\n");
  t.write("b/c.txt", "2\n");
  expect((await t.snapshot()).changed).toHaveLength(2);
});

test("a change in the second of the index, of the same length and time, is seen", async () => {
  const t = await aTree();
  const { mtime, atime } = statSync(t.at("a.txt"));
  t.write("a.txt", "two\n");
  utimesSync(t.at("a.txt"), atime, mtime);
  expect((await t.snapshot()).changed).toHaveLength(1);
  const again = statSync(t.at("a.txt"));
  t.write("a.txt", "six\n");
  utimesSync(t.at("a.txt"), again.atime, again.mtime);
  expect((await t.snapshot()).changed).toHaveLength(1);
});

test("neither a lock on the tree's own index, nor its .git being gone or elsewhere, matters", async () => {
  const t = await aTree();
  writeFileSync(join(t.common, "worktrees", "t1", "index.lock"), "");
  rmSync(t.at(".git"));
  t.write("a.txt", "1\n");
  expect((await t.snapshot()).changed).toHaveLength(1);
});

test("makes twenty parallel ones in turn, and leaves no files behind", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  const names = Array.from({ length: 20 }, (_, at) => `n${at}.txt`);
  const answers = await Promise.all(
    names.map((name) => {
      t.write(name, name);
      return t.snapshot([name]);
    }),
  );
  const last = (await t.repository.must(["rev-parse", snapshotRef("t1")])).trim();
  expect((await t.repository.must(["ls-tree", "--name-only", last])).split("\n")).toEqual(
    expect.arrayContaining(names),
  );
  expect(answers.flatMap(({ changed }) => changed)).toHaveLength(20);
  const left = readdirSync(treeRecordFolder(t.common, "t1"));
  expect(left.filter((name) => /^index\./.test(name))).toEqual([]);
});

test("a side index, a lock and an object that a killed keeper left are no hindrance (kill -9, then gc)", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  await t.snapshot();
  const folder = treeRecordFolder(t.common, "t1");
  writeFileSync(join(folder, "index.dead1"), "half an ind");
  writeFileSync(join(folder, "index.dead1.lock"), "");
  t.write("a.txt", "1\n");
  await t.snapshot();
  // As after a death between the objects and the ref, and a gc: the index knows a file that no object is there for.
  t.write("a.txt", "2\n");
  await gitIn(t.tree.path, t.repository.env).run(["add", "-A"], { index: join(folder, "index") });
  await t.repository.must(["gc", "-q", "--prune=now"]);
  const { commit } = await t.snapshot();
  expect(await t.show(`${commit}:a.txt`)).toBe("2\n");
  expect(readdirSync(folder).filter((name) => name.includes("dead1"))).toEqual([]);
  expect((await t.repository.must(["fsck", "--connectivity-only"])).trim()).not.toMatch(/missing|broken/);
});

test("starts a new chain if git has lost parts of the old one", async () => {
  const t = await aTree();
  t.write("a.txt", "will be lost\n");
  const { commit } = await t.snapshot();
  const blob = (await t.repository.must(["rev-parse", `${commit}:a.txt`])).trim();
  chmodSync(join(t.common, "objects", blob.slice(0, 2), blob.slice(2)), 0o600);
  rmSync(join(t.common, "objects", blob.slice(0, 2), blob.slice(2)));
  t.write("a.txt", "will be lost\n");
  t.write("b/c.txt", "is there\n");
  const answer = await snapshotTree({ tree: t.tree, files: null }, t.ground);
  expect(answer.type).toBe("taken");
});

test("what was whole of a chain that git has lost parts of stays held, and the tree can still be removed", {
  tags: ["long"],
}, async () => {
  const t = await aTree();
  const commits: string[] = [];
  for (const at of [1, 2, 3, 4, 5]) {
    t.write("a.txt", `${at}\n`);
    commits.push((await t.snapshot()).commit);
  }
  for (const lost of commits.slice(3)) {
    const blob = (await t.repository.must(["rev-parse", `${lost}:a.txt`])).trim();
    rmSync(join(t.common, "objects", blob.slice(0, 2), blob.slice(2)));
  }
  expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  const [first = "", , third = ""] = commits;
  expect(await t.repository.must(["rev-parse", `${snapshotRef("t1")}^`])).toBe(`${third}\n`);
  await t.repository.must(["gc", "-q", "--prune=now"]);
  expect(await t.show(`${first}:a.txt`)).toBe("1\n");
  expect(await t.show(`${snapshotRef("t1")}:a.txt`)).toBe("5\n");
});

test(
  "an unreadable file is named, and all else is there",
  unless(process.getuid?.() === 0 ? "root may read every file" : null),
  async () => {
    const t = await aTree();
    t.write("secret", "x");
    chmodSync(t.at("secret"), 0);
    t.write("a.txt", "1\n");
    const { changed, notes } = await t.snapshot();
    expect(changed).toHaveLength(1);
    expect(notes.join()).toMatch(/secret/);
  },
);

test("a tree that git does not know is refused", async () => {
  const t = await aTree();
  const tree = { ...t.tree, path: join(t.repository.folder, "elsewhere") };
  expect(await snapshotTree({ tree, files: null }, t.ground)).toMatchObject({ type: "refused" });
  expect(existsSync(join(t.common, "troupe", "trees", "t1", "index"))).toBe(false);
});
