// @module-tag long
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { baseRef, treePath, treeRecordFolder } from "../../src/worktrees/layout.ts";
import type { GitRequest } from "../../src/worktrees/protocol.ts";
import { readRecord } from "../../src/worktrees/tree-record.ts";
import { emptyRepository, repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { long } from "../support/long.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { creationIn, groundOf, OWNER } from "../support/worktree-ground.ts";
import { createTree } from "./operations.ts";

async function made(
  person: TestRepository,
  changed: Partial<GitRequest<"create">> = {},
  ground = groundOf(person),
) {
  const answer = await createTree(creationIn(person.folder, changed), ground);
  if (answer.type === "refused") throw new Error(answer.reason);
  const { tree, notes } = answer;
  const read = (path: string) => readFileSync(join(tree.path, path), "utf8");
  const git = async (...args: string[]) => (await person.git.at(tree.path).run(args)).out.trim();
  return { tree, notes, read, git };
}

async function refusal(
  person: TestRepository,
  changed: Partial<GitRequest<"create">> = {},
  ground?: GitEnvironment,
) {
  const answer = await createTree(creationIn(person.folder, changed), ground ?? groundOf(person));
  return answer.type === "refused" ? answer.reason : `created ${answer.tree.path}`;
}

/** All of the person's that a creation must leave as it is (C10, C11). */
async function theirs(person: TestRepository) {
  const common = join(person.folder, ".git");
  const read = (name: string) =>
    existsSync(join(common, name)) ? readFileSync(join(common, name)).toString("base64") : null;
  return {
    files: Object.fromEntries(
      [
        "HEAD",
        "index",
        "config",
        "config.worktree",
        "info/exclude",
        "info/attributes",
        "hooks/post-checkout",
      ].map((name) => [name, read(name)]),
    ),
    status: await person.must(["status", "--porcelain", "--branch", "--untracked-files=all"]),
    stash: await person.must(["stash", "list"]),
    refs: (await person.must(["for-each-ref"]))
      .split("\n")
      .filter((line) => !/\t(?:refs\/troupe\/|refs\/heads\/worktree-)/.test(line)),
  };
}

/** Nothing of ours: no directory, branch, ref, record or work tree. */
async function expectNothingLeft(person: TestRepository, name = "one") {
  expect(existsSync(treePath(person.folder, name))).toBe(false);
  expect(existsSync(treeRecordFolder(join(person.folder, ".git"), name))).toBe(false);
  expect(await person.must(["for-each-ref", "refs/troupe", "refs/heads/worktree-*"])).toBe("");
  expect((await person.must(["worktree", "list", "--porcelain"])).match(/^worktree /gm)).toHaveLength(1);
}

test("A11.6, A16.1: a tree on a branch of its own, with what was staged, changed and new in the checkout", async () => {
  const person = await repositoryWith({
    "a.txt": "1\n",
    "b.txt": "1\n",
    "gone.txt": "1\n",
    "lib/run.sh": "x\n",
  });
  person.write({ "a.txt": "staged\n" });
  await person.must(["add", "a.txt"]);
  person.write({ "b.txt": "changed\n", "new/c.txt": "new\n", "gone.txt": null });
  const before = await theirs(person);
  const { tree, read, git, notes } = await made(person);
  expect([read("a.txt"), read("b.txt"), read("new/c.txt")]).toEqual(["staged\n", "changed\n", "new\n"]);
  expect(existsSync(join(tree.path, "gone.txt"))).toBe(false);
  expect(tree).toMatchObject({ name: "one", branch: "worktree-one", checkout: person.folder });
  expect(tree.path).toBe(join(person.folder, ".claude/worktrees/one"));
  expect(await git("symbolic-ref", "HEAD")).toBe("refs/heads/worktree-one");
  expect(await git("rev-parse", "HEAD")).toBe(tree.base);
  expect(await git("rev-parse", "HEAD^")).toBe(tree.head);
  expect(await git("rev-parse", baseRef("one"))).toBe(tree.base);
  expect(await git("status", "--porcelain", "--ignored")).toBe("");
  expect(notes).toEqual([]);
  expect(await theirs(person)).toEqual(before);
});

test("C10, C11: HEAD, index, config, hooks, stash and status of the user are the same before and after", async () => {
  const person = await repositoryWith({ "a.txt": "1\n", "b.txt": "1\n" });
  person.write({ "a.txt": "stashed\n" });
  await person.must(["stash"]);
  person.write({
    ".git/hooks/post-checkout": "#!/bin/sh\ntouch ran-a-hook\n",
    "b.txt": "2\n",
    "new.txt": "n",
  });
  await person.must(["config", "core.hooksPath", ".git/hooks"]);
  await person.must(["update-index", "--chmod=+x", "a.txt"]);
  const before = await theirs(person);
  for (const ref of ["checkout", "head"] as const) {
    const { tree } = await made(person, { name: `from-${ref}`, baseRef: ref });
    expect(existsSync(join(tree.path, "ran-a-hook"))).toBe(false);
  }
  expect(await theirs(person)).toEqual(before);
});

test("A16.1: from HEAD alone, what is not committed stays behind", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  person.write({ "a.txt": "2\n", "new.txt": "n" });
  const { tree, read } = await made(person, { baseRef: "head" });
  expect(tree.base).toBe(tree.head);
  expect(read("a.txt")).toBe("1\n");
  expect(existsSync(join(tree.path, "new.txt"))).toBe(false);
});

test("A16.1, C12: from the remote's default branch as it is known here; a stale HEAD is said before work starts", {
  tags: ["long"],
}, async () => {
  const upstream = await repositoryWith({ "a.txt": "1\n" });
  const person = await emptyRepository("clone");
  await person.must(["remote", "add", "origin", upstream.folder]);
  await person.must(["fetch", "-q"]);
  await person.must(["checkout", "-q", "-B", "main", "--track", "origin/main"]);
  expect(await refusal(person, { baseRef: "fresh" })).toMatch(/git remote set-head origin --auto/);
  await person.must(["remote", "set-head", "origin", "main"]);
  for (const text of ["2\n", "3\n"]) {
    upstream.write({ "a.txt": text });
    await upstream.commit(text);
  }
  await person.must(["fetch", "-q"]);
  const fresh = await made(person, { baseRef: "fresh" });
  expect(fresh.read("a.txt")).toBe("3\n");
  expect(await fresh.git("rev-parse", "--abbrev-ref", "@{upstream}")).toBe("");
  const stale = await made(person, { name: "two" });
  expect(stale.notes).toEqual([expect.stringMatching(/^HEAD is 2 commits behind its upstream/)]);
});

test("a repository without a commit has a tree of its files, and no other", async () => {
  const person = await emptyRepository();
  person.write({ "a.txt": "1\n" });
  const { tree, read, git } = await made(person);
  expect(read("a.txt")).toBe("1\n");
  expect(tree.head).toBeNull();
  expect(await git("rev-list", "--count", "HEAD")).toBe("1");
  for (const ref of ["head", "fresh"] as const)
    expect(await refusal(person, { name: "two", baseRef: ref })).toMatch(/has no commit yet.*first commit/);
});

test("C13: a name is for one worktree: an existing directory, branch, record or ref blocks another one", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const first = await made(person);
  expect(await refusal(person)).toMatch(/is there already; choose another name/);
  expect(first.read("a.txt")).toBe("1\n");
  await person.must(["branch", "worktree-two"]);
  expect(await refusal(person, { name: "two" })).toMatch(/branch worktree-two already/);
  await person.must(["update-ref", baseRef("three"), "HEAD"]);
  expect(await refusal(person, { name: "three" })).toMatch(/was a worktree three/);
  await person.must(["branch", "worktree-four/five"]);
  expect(await refusal(person, { name: "four" })).toMatch(/branch worktree-four\/five already/);
  expect(existsSync(treeRecordFolder(join(person.folder, ".git"), "four"))).toBe(false);
  expect((await person.must(["worktree", "list"])).trim().split("\n")).toHaveLength(2);
});

test("A16.2: refuses a name that is not valid for a branch or a directory", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  for (const name of ["", ".", "..", "a/b", "../a", "-a", "a..b", "a.lock", "a b", "a.", "x".repeat(65), "é"])
    expect(await refusal(person, { name }), name).toMatch(/is no name for a worktree/);
  await made(person, { name: "x".repeat(64) });
});

test("the owner's record is there before the tree, and says when it is made", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const { tree } = await made(person);
  expect(await readRecord(join(person.folder, ".git"), "one")).toMatchObject({
    ...{ owner: OWNER, tree, made: true, linked: [], result: null },
  });
});

test("makes many in parallel, each complete", { tags: ["long"] }, async () => {
  const person = await repositoryWith(
    Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d/${n}.txt`, `${n}`])),
  );
  const names = Array.from({ length: long(16, 6) }, (_, n) => `tree-${n}`);
  const trees = await Promise.all(names.map((name) => made(person, { name })));
  for (const { git } of trees) expect(await git("status", "--porcelain")).toBe("");
  expect((await person.must(["worktree", "list"])).trim().split("\n")).toHaveLength(names.length + 1);
});

test("a cancelled creation rejects with the reason and leaves nothing behind", async () => {
  const person = await repositoryWith({ "a.txt": "1\n", ".gitattributes": "*.txt filter=slow\n" });
  const abort = new AbortController();
  const started = join(temporaryFolder(), "started");
  await person.must(["config", "filter.slow.smudge", `touch ${started}; exec sleep 60`]);
  const creating = createTree(creationIn(person.folder, { baseRef: "head" }), groundOf(person), abort.signal);
  while (!existsSync(started)) await new Promise(setImmediate);
  abort.abort(new Error("enough"));
  await expect(creating).rejects.toThrow("enough");
  await expectNothingLeft(person);
});

test("a creation that fails half-way leaves nothing behind", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const blob = (await person.must(["rev-parse", "HEAD:a.txt"])).trim();
  rmSync(join(person.folder, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  expect(await refusal(person, { baseRef: "head" })).toMatch(/could not be written/);
  await expectNothingLeft(person);
});

test("faults: a .claude or .claude/worktrees that is a link, or a file, has no trees", async () => {
  const elsewhere = temporaryFolder();
  for (const link of [".claude", ".claude/worktrees"]) {
    const person = await repositoryWith({ "a.txt": "1\n" });
    if (link !== ".claude") mkdirSync(join(person.folder, ".claude"));
    symlinkSync(elsewhere, join(person.folder, link));
    expect(await refusal(person)).toMatch(/is a symbolic link/);
    await expectNothingLeft(person);
  }
  const person = await repositoryWith({ "a.txt": "1\n", ".claude/worktrees": "a file" });
  expect(await refusal(person)).toMatch(/is not a directory/);
});

test("leaves the user's .claude/worktrees/.gitignore, and says if it shows the worktrees", async () => {
  const person = await repositoryWith({ "a.txt": "1\n", ".claude/worktrees/.gitignore": "nothing\n" });
  const { notes } = await made(person);
  expect(notes).toEqual([expect.stringMatching(/does not ignore the worktrees there/)]);
});

test("the checkout may be a linked work tree itself, or an agent's tree", { tags: ["long"] }, async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const outer = await made(person);
  writeFileSync(join(outer.tree.path, "b.txt"), "of the agent");
  const answer = await createTree(creationIn(outer.tree.path, { name: "inner" }), groundOf(person));
  if (answer.type === "refused") throw new Error(answer.reason);
  expect(answer.tree.path).toBe(join(outer.tree.path, ".claude/worktrees/inner"));
  expect(readFileSync(join(answer.tree.path, "b.txt"), "utf8")).toBe("of the agent");
  expect(await outer.git("status", "--porcelain")).toBe("?? b.txt");
  expect(await person.must(["status", "--porcelain"])).toBe("");
});

test("detached, and in the middle of a rebase, a tree begins from what there is", {
  tags: ["long"],
}, async () => {
  const person = await repositoryWith({ "a.txt": "1\n", "b.txt": "1\n" });
  await person.must(["checkout", "-q", "--detach"]);
  expect((await made(person)).read("a.txt")).toBe("1\n");
  await person.must(["checkout", "-q", "-b", "side"]);
  person.write({ "a.txt": "2\n" });
  await person.commit("two");
  await person.must(["checkout", "-q", "main"]);
  person.write({ "a.txt": "3\n" });
  await person.commit("three");
  await person.git.run(["rebase", "side"]);
  const before = await theirs(person);
  expect(await refusal(person, { name: "two" })).toMatch(/rebase|conflict|unmerged/i);
  const head = await made(person, { name: "three", baseRef: "head" });
  expect(head.notes).toEqual([expect.stringMatching(/in the middle of a rebase/)]);
  expect(await theirs(person)).toEqual(before);
});

test("submodules stay behind and are named", { tags: ["long"] }, async () => {
  const inner = await repositoryWith({ "i.txt": "1\n" });
  const person = await repositoryWith({ "a.txt": "1\n" });
  await person.must(["clone", "-q", inner.folder, "lib/inner"]);
  person.write({ ".gitmodules": `[submodule "inner"]\n\tpath = lib/inner\n\turl = ${inner.folder}\n` });
  await person.commit("with a submodule");
  await person.must(["config", "submodule.recurse", "true"]);
  const before = await theirs(person);
  const { notes, tree, git } = await made(person);
  expect(notes).toContainEqual(expect.stringMatching(/Submodules are not checked out.*lib\/inner/));
  expect(existsSync(join(tree.path, "lib/inner/i.txt"))).toBe(false);
  expect(await git("status", "--porcelain")).toBe("");
  expect(await theirs(person)).toEqual(before);
});

test("leaves an untracked nested repository out", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const inner = await repositoryWith({ "i.txt": "1\n" });
  await person.must(["clone", "-q", inner.folder, "inner"]);
  const { tree } = await made(person);
  expect(existsSync(join(tree.path, "inner"))).toBe(false);
});

test("a filter that is not configured leaves pointers; one that cannot run is reported and does not stop it", async () => {
  const pointer = "version https://git-lfs.github.com/spec/v1\n";
  const person = await repositoryWith({ "big.bin": pointer, "a.txt": "1\n" });
  person.write({ ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" });
  await person.commit("attributes");
  const quiet = await made(person, { baseRef: "head" });
  expect([quiet.read("big.bin"), quiet.notes]).toEqual([pointer, []]);
  for (const [key, value] of [
    ["smudge", "no-such-lfs smudge -- %f"],
    ["clean", "no-such-lfs clean -- %f"],
    ["process", "no-such-lfs filter-process"],
    ["required", "true"],
  ] as const)
    await person.must(["config", "--file", ".git/config", `filter.lfs.${key}`, value]);
  const { read, notes } = await made(person, { name: "two", baseRef: "head" });
  expect([read("big.bin"), read("a.txt")]).toEqual([pointer, "1\n"]);
  expect(notes).toEqual([expect.stringMatching(/The filter "lfs".*could not run/)]);
});

test.each(["process", "clean"])(
  "a changed file whose %s filter cannot run is said with the name of the filter",
  async (how) => {
    const person = await repositoryWith({ "a.bin": "1\n" });
    person.write({ ".gitattributes": "*.bin filter=lfs\n", "a.bin": "another\n" });
    await person.must(["config", "filter.lfs.required", "true"]);
    await person.must(["config", `filter.lfs.${how}`, "no-such-git-lfs run"]);
    expect(await refusal(person)).toBe(
      `What is in ${person.folder} could not be snapshotted, as its filter "lfs" could not run; install what it needs, or take it out of git's configuration.`,
    );
  },
);

test("a sparse checkout has sparse worktrees, and no settings are written", async () => {
  const person = await repositoryWith({ "in/a.txt": "1\n", "out/b.txt": "1\n", "top.txt": "1\n" });
  await person.must(["sparse-checkout", "set", "in"]);
  expect(existsSync(join(person.folder, "out"))).toBe(false);
  const before = await theirs(person);
  const { tree, git } = await made(person);
  expect(existsSync(join(tree.path, "in/a.txt"))).toBe(true);
  expect(existsSync(join(tree.path, "out"))).toBe(false);
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("ls-tree", "-r", "--name-only", "HEAD")).toBe("in/a.txt\nout/b.txt\ntop.txt");
  expect(await theirs(person)).toEqual(before);
});

test("writes links, modes and CRLF like git does in the checkout", async () => {
  const person = await repositoryWith({
    ".gitattributes": "*.crlf text eol=crlf\n",
    "w.crlf": "a\r\nb\r\n",
    "x.sh": "x",
  });
  symlinkSync("x.sh", join(person.folder, "link"));
  await person.must(["update-index", "--chmod=+x", "x.sh"]);
  await person.must(["add", "link"]);
  await person.must(["commit", "-q", "-m", "more"]);
  const { tree, read } = await made(person, { baseRef: "head" });
  expect(read("w.crlf")).toBe("a\r\nb\r\n");
  expect(lstatSync(join(tree.path, "link")).isSymbolicLink()).toBe(true);
  expect(statSync(join(tree.path, "x.sh")).mode & 0o111).not.toBe(0);
});

test("sees what is written in the second a worktree was made, also when it moves from HEAD to edits", {
  tags: ["long"],
}, async () => {
  const names = Array.from({ length: 40 }, (_, at) => `file-${at}.txt`);
  const person = await repositoryWith(Object.fromEntries(names.map((name) => [name, "old\n"])));
  person.write({ "file-0.txt": "edited\n" });
  const { tree, git } = await made(person);
  const index = await git("rev-parse", "--path-format=absolute", "--git-path", "index");
  expect(statSync(index).mtimeMs).toBeLessThanOrEqual(Date.now() + 10);
  const unedited = names.slice(1);
  for (const name of unedited) writeFileSync(join(tree.path, name), "new\n");
  expect((await git("diff", "--name-only")).split("\n").sort()).toEqual([...unedited].sort());
});

test("reading a worktree's edits together with others does not reveal the others", {
  tags: ["long"],
}, async () => {
  const person = await repositoryWith({ "a.txt": "1\n", ".claude/worktrees/.gitignore": "nothing\n" });
  person.write({ "a.txt": "2\n" });
  const first = await made(person, { name: "first" });
  const second = await made(person, { name: "second" });
  for (const { notes } of [first, second])
    expect(notes).toEqual([expect.stringMatching(/does not ignore the worktrees there/)]);
  expect(await second.git("ls-files", ".claude")).toBe(".claude/worktrees/.gitignore");
});

test("worktrees that are made together in a clean checkout begin from its HEAD: no snapshot has what making them writes", async () => {
  for (let round = 0; round < 15; round += 1) {
    const person = await repositoryWith({ "a.txt": "1\n" });
    const head = (await person.must(["rev-parse", "HEAD"])).trim();
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, n) => made(person, { name: `together-${n}` })),
    );
    expect(all.map(({ tree }) => tree.base)).toEqual(all.map(() => head));
  }
});
