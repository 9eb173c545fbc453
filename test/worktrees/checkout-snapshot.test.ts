import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { snapshotCheckout } from "../../src/worktrees/checkout-snapshot.ts";
import { gitIn } from "../../src/worktrees/git.ts";
import { repositoryAt } from "../../src/worktrees/repository.ts";
import { emptyRepository, repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { groundOf } from "./tree-of-tests.ts";

async function taken(repository: TestRepository) {
  const ground = groundOf(repository.env);
  const repo = await repositoryAt(repository.folder, ground);
  return snapshotCheckout(repo, repo.head === null ? [] : [repo.head], ground);
}

async function filesOf(repository: TestRepository) {
  const answer = await taken(repository);
  const listed = await repository.must(["ls-tree", "-r", answer.tree]);
  const files: Record<string, string> = {};
  for (const line of listed.split("\n").filter(Boolean)) {
    const [info = "", path = ""] = line.split("\t");
    const [mode = "", type, id = ""] = info.split(" ");
    files[path] = type === "commit" ? "commit" : `${mode} ${await repository.must(["cat-file", "-p", id])}`;
  }
  return { files, notes: answer.notes, absent: answer.absent };
}

const nested = async (repository: TestRepository, path: string, isEmpty: boolean) => {
  mkdirSync(join(repository.folder, path), { recursive: true });
  const git = gitIn(join(repository.folder, path), repository.env);
  await git.run(["init", "-q"]);
  repository.write({ [`${path}/inner.txt`]: "inner\n" });
  if (isEmpty) return;
  await git.run(["add", "-A"]);
  await git.run(["commit", "-q", "-m", "inner"], { identity: "person" });
};

describe("a snapshot of the checkout", () => {
  it("has HEAD, what is staged, what is not, and what git does not know; the index keeps its bytes", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({
      ".gitignore": "*.log\n",
      a: "1\n",
      b: "1\n",
      c: "1\n",
      d: "1\n",
    });
    repository.write({ a: "staged\n", b: "2\n", c: null, "new file": "new\n", "x.log": "ignored\n" });
    await repository.must(["add", "a"]);
    repository.write({ a: "and changed\n" });
    await repository.must(["rm", "-q", "--cached", "d"]);
    await repository.must(["add", "-N", "new file"]);
    const index = join(repository.folder, ".git", "index");
    const before = [readFileSync(index), statSync(index, { bigint: true }).mtimeNs];
    const { files, notes } = await filesOf(repository);
    expect(files).toEqual({
      ".gitignore": "100644 *.log\n",
      a: "100644 and changed\n",
      b: "100644 2\n",
      d: "100644 1\n",
      "new file": "100644 new\n",
    });
    expect(notes).toEqual([]);
    expect([readFileSync(index), statSync(index, { bigint: true }).mtimeNs]).toEqual(before);
    expect(await readdir(join(repository.folder, ".git", "troupe"))).toEqual([]);
  });

  it("sees what was marked as unchanged, and a change in the very moment the index was written", {
    tags: ["long"],
  }, async () => {
    const repository = await repositoryWith({ a: "1\n", b: "1\n", c: "1\n", e: "1\n" });
    await repository.must(["update-index", "--assume-unchanged", "a", "c"]);
    await repository.must(["update-index", "--skip-worktree", "b", "e"]);
    repository.write({ a: "2\n", b: "2\n", c: null, e: null });
    const index = join(repository.folder, ".git", "index");
    const { files, absent } = await filesOf(repository);
    expect(files).toEqual({ a: "100644 2\n", b: "100644 2\n", e: "100644 1\n" });
    expect([...absent]).toEqual(["e"]);

    const racy = await repositoryWith({ a: "1\n" });
    const when = statSync(join(racy.folder, ".git", "index")).mtimeMs / 1_000;
    const stale = join(racy.folder, "a");
    // The file was written as often as the clock did not move on.
    utimesSync(stale, when, when);
    await racy.must(["update-index", "--refresh"]);
    const inode = statSync(stale, { bigint: true });
    writeFileSync(stale, "2\n");
    utimesSync(stale, when, when);
    utimesSync(join(racy.folder, ".git", "index"), when, when);
    expect(statSync(stale, { bigint: true }).ino).toBe(inode.ino);
    expect((await filesOf(racy)).files).toEqual({ a: "100644 2\n" });
    expect(existsSync(index)).toBe(true);
  });

  it.each([
    ["with commits", false],
    ["without one", true],
  ])("leaves repositories within it out and says so: %s", { tags: ["long"] }, async (_, isEmpty) => {
    const repository = await repositoryWith({ a: "1\n" });
    await nested(repository, "in[1]/side *", isEmpty);
    repository.write({ "in[1]/file": "kept\n" });
    const { files, notes } = await filesOf(repository);
    expect(files).toEqual({ a: "100644 1\n", "in[1]/file": "100644 kept\n" });
    expect(notes).toEqual(["in[1]/side * is a repository of its own and is left out."]);
  });

  it("keeps a submodule as HEAD has it", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ a: "1\n" });
    await nested(repository, "sub", false);
    await repository.commit("A submodule, more or less");
    const was = await repository.must(["ls-tree", "HEAD", "sub"]);
    const sub = gitIn(join(repository.folder, "sub"), repository.env);
    repository.write({ "sub/inner.txt": "2\n" });
    await sub.run(["commit", "-qam", "more"], { identity: "person" });
    const answer = await taken(repository);
    expect(await repository.must(["ls-tree", answer.tree, "sub"])).toBe(was);
    expect(answer.notes).toEqual(["sub is a submodule: what was changed in it is left out."]);
    rmSync(join(repository.folder, "sub"), { recursive: true });
    const gone = await taken(repository);
    expect(await repository.must(["ls-tree", gone.tree, "sub"])).toBe(was);
    expect(gone.notes).toEqual([]);
  });

  it("does not take what a sparse checkout leaves out for deleted", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ "in/a": "1\n", "out/b": "1\n" });
    await repository.must(["sparse-checkout", "set", "in"]);
    expect(existsSync(join(repository.folder, "out"))).toBe(false);
    repository.write({ "in/a": "2\n" });
    const { files, absent } = await filesOf(repository);
    expect(files).toEqual({ "in/a": "100644 2\n", "out/b": "100644 1\n" });
    expect([...absent]).toEqual(["out/b"]);
  });

  it("works with a split index, without a commit, and keeps modes and links", {
    tags: ["long"],
  }, async () => {
    const repository = await emptyRepository();
    repository.write({ "run.sh": "#!/bin/sh\n", "-dash": "", "line\nbreak": "1\n" });
    chmodSync(join(repository.folder, "run.sh"), 0o755);
    symlinkSync("nowhere", join(repository.folder, "link"));
    expect((await filesOf(repository)).files).toMatchObject({
      "-dash": "100644 ",
      link: "120000 nowhere",
      "run.sh": "100755 #!/bin/sh\n",
    });
    await repository.commit("first");
    await repository.must(["update-index", "--split-index"]);
    repository.write({ "run.sh": "2\n" });
    const shared = () =>
      readdir(join(repository.folder, ".git")).then((names) => names.filter((n) => /^shared/.test(n)));
    const before = await shared();
    expect(before).toHaveLength(1);
    expect((await filesOf(repository)).files).toMatchObject({ "run.sh": "100755 2\n" });
    expect(await shared()).toEqual(before);
  });

  it("is refused where a conflict is not resolved, or git cannot read a file", async () => {
    const repository = await repositoryWith({ a: "1\n" });
    await repository.must(["checkout", "-q", "-b", "other"]);
    repository.write({ a: "2\n" });
    await repository.commit("2");
    await repository.must(["checkout", "-q", "main"]);
    repository.write({ a: "3\n" });
    await repository.commit("3");
    expect((await repository.git.run(["merge", "other"])).code).toBe(1);
    await expect(taken(repository)).rejects.toThrow(
      `${repository.folder} has conflicts that are not resolved yet (a); resolve them first.`,
    );
    const index = join(repository.folder, ".git", "index");
    copyFileSync(index, `${index}.old`);
    writeFileSync(index, "no index");
    await expect(taken(repository)).rejects.toThrow("could not be read");
  });
});
