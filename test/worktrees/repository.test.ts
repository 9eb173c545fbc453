// @module-tag long
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { operationInProgress, repositoryAt, tooOldToMerge } from "../../src/worktrees/repository.ts";
import { emptyRepository, repositoryWith } from "../support/git-repository.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { groundOf } from "../support/worktree-ground.ts";
import { inspect } from "./operations.ts";

test("a directory below a checkout leads to its top, by whatever way it is named", async () => {
  const person = await repositoryWith({ "a/b.txt": "1" });
  const way = join(temporaryFolder(), "way");
  symlinkSync(person.folder, way);
  const repo = await repositoryAt(join(way, "a"), groundOf(person));
  expect(repo).toMatchObject({
    top: person.folder,
    common: join(person.folder, ".git"),
    gitDir: join(person.folder, ".git"),
    head: (await person.must(["rev-parse", "HEAD"])).trim(),
    branch: "main",
  });
});

test(
  "retries git once if it is killed, and reports a second kill (issue 15, 28)",
  unless(process.platform === "win32" ? "this is Windows" : null),
  async () => {
    const { folder, env } = await repositoryWith({ "a.txt": "1" });
    const bin = temporaryFolder();
    const path = env["PATH"] ?? "";
    const killing = (when: string) =>
      writeFileSync(join(bin, "git"), `#!/bin/sh\n${when} && kill -9 $$\nPATH='${path}' exec git "$@"\n`, {
        mode: 0o755,
      });
    const ground = groundOf({ env: { ...env, PATH: `${bin}:${path}` } });
    killing(`mkdir '${bin}/once' 2>/dev/null`);
    expect(await repositoryAt(folder, ground)).toMatchObject({ top: folder, branch: "main" });
    killing("true");
    const reason = `git was killed in ${folder}; try again.`;
    await expect(repositoryAt(folder, ground)).rejects.toThrow(reason);
  },
);

test("before the first commit there is no head, and detached no branch", async () => {
  const unborn = await emptyRepository();
  expect(await repositoryAt(unborn.folder, groundOf(unborn))).toMatchObject({ head: null, branch: "main" });
  const person = await repositoryWith({ "a.txt": "1" });
  await person.must(["checkout", "-q", "--detach"]);
  expect(await repositoryAt(person.folder, groundOf(person))).toMatchObject({ branch: null });
});

test("a linked work tree is a checkout of its own, with the common folder of the first", async () => {
  const person = await repositoryWith({ "a.txt": "1" });
  const linked = join(temporaryFolder(), "linked");
  await person.must(["worktree", "add", "-q", "-b", "side", linked]);
  expect(await repositoryAt(linked, groundOf(person))).toMatchObject({
    top: linked,
    common: join(person.folder, ".git"),
    gitDir: join(person.folder, ".git/worktrees/linked"),
    branch: "side",
  });
  expect(await inspect({ folder: linked }, groundOf(person))).toMatchObject({
    type: "repository",
    top: linked,
    trees: [
      { path: person.folder, branch: "main" },
      { path: linked, branch: "side" },
    ],
  });
});

test("where there can be no worktree one sentence says why", { tags: ["long"] }, async () => {
  const person = await repositoryWith({ "a.txt": "1" });
  const bare = join(temporaryFolder(), "bare.git");
  await person.must(["clone", "-q", "--bare", person.folder, bare]);
  const outside = temporaryFolder();
  const broken = await emptyRepository();
  const lineBreak = join(temporaryFolder(), "a\nb");
  mkdirSync(lineBreak);
  await person.must(["clone", "-q", person.folder, lineBreak]);
  const ground = groundOf(person);
  const sentences = [
    [bare, /is a bare repository/],
    [join(person.folder, ".git"), /inside a git directory/],
    [outside, /is in no git repository.*git init/],
    [join(outside, "nowhere"), /could not be started|There is no directory/],
    [lineBreak, /line break/],
  ] as const;
  for (const [folder, sentence] of sentences)
    await expect(repositoryAt(folder, ground), folder).rejects.toThrow(sentence);
  const noGit = groundOf({ env: { ...person.env, PATH: outside } });
  await expect(repositoryAt(broken.folder, noGit)).rejects.toThrow(/git was not found/);
});

test("what steers git from the environment leads nowhere else", async () => {
  const person = await repositoryWith({ "a.txt": "1" });
  const other = await repositoryWith({ "b.txt": "1" });
  const env = { ...person.env, GIT_DIR: join(other.folder, ".git"), GIT_WORK_TREE: other.folder };
  expect(await repositoryAt(person.folder, groundOf({ env }))).toMatchObject({ top: person.folder });
});

test("an operation in progress is named", { tags: ["long"] }, async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const repo = await repositoryAt(person.folder, groundOf(person));
  expect(await operationInProgress(repo)).toBeNull();
  await person.must(["checkout", "-q", "-b", "side"]);
  person.write({ "a.txt": "2\n" });
  await person.commit("two");
  await person.must(["checkout", "-q", "main"]);
  person.write({ "a.txt": "3\n" });
  await person.commit("three");
  for (const [args, name] of [
    [["merge", "side"], "a merge"],
    [["cherry-pick", "side"], "a cherry-pick"],
    [["rebase", "side"], "a rebase"],
  ] as const) {
    await person.git.run(args);
    expect(await operationInProgress(repo)).toBe(name);
    await person.must([args[0], "--abort"]);
  }
  expect(await operationInProgress(repo)).toBeNull();
});

test("reports a git that cannot merge trees", async () => {
  const git = (out: string) => ({
    git: { folder: "", at: () => git(out).git, run: async () => ({ code: 0, out, err: "" }) },
  });
  expect(await tooOldToMerge(git("git version 2.38.0"))).toBeNull();
  expect(await tooOldToMerge(git("git version 3.0.1 (something)"))).toBeNull();
  expect(await tooOldToMerge(git("git version 2.37.4\n"))).toMatch(
    /git 2\.38 or newer, and this is git version 2\.37\.4,/,
  );
});
