// @module-tag long
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyIgnored } from "../../src/worktrees/copy-ignored.ts";
import type { GitRequest } from "../../src/worktrees/protocol.ts";
import { repositoryAt } from "../../src/worktrees/repository.ts";
import { readRecord } from "../../src/worktrees/tree-record.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { creationIn, groundOf } from "../support/worktree-ground.ts";
import { createTree } from "./operations.ts";

async function made(person: TestRepository, changed: Partial<GitRequest<"create">> = {}) {
  const answer = await createTree(
    creationIn(person.folder, { baseRef: "head", ...changed }),
    groundOf(person),
  );
  if (answer.type === "refused") throw new Error(answer.reason);
  const record = await readRecord(join(person.folder, ".git"), answer.tree.name);
  const status = await person.git.at(answer.tree.path).run(["status", "--porcelain"]);
  const at = (path: string) => join(answer.tree.path, path);
  return { ...answer, at, linked: record?.linked, status: status.out };
}

test("C14: ignored files that .worktreeinclude names come along, with their modes and as the links they are", async () => {
  const person = await repositoryWith({
    ".gitignore": ".env*\nsecret/\n*.key\n",
    ".worktreeinclude": "# needed to build\n.env*\n!.env.other\nsecret/**\na.txt\nloose.txt\n",
    "a.txt": "1\n",
  });
  person.write({
    ".env": "A=1",
    ".env.other": "B=1",
    "secret/deep/k": "k",
    "x.key": "no",
    "loose.txt": "not ignored",
  });
  writeFileSync(join(person.folder, ".env.run"), "x", { mode: 0o755 });
  symlinkSync("k", join(person.folder, "secret/deep/link"));
  symlinkSync("/nowhere", join(person.folder, "secret/out"));
  const { at, notes, linked, status } = await made(person);
  expect(readFileSync(at(".env"), "utf8")).toBe("A=1");
  expect(statSync(at(".env.run")).mode & 0o777).toBe(0o755);
  expect(readFileSync(at("secret/deep/k"), "utf8")).toBe("k");
  expect([readlinkSync(at("secret/deep/link")), readlinkSync(at("secret/out"))]).toEqual(["k", "/nowhere"]);
  for (const path of [".env.other", "x.key", "loose.txt"]) expect(existsSync(at(path)), path).toBe(false);
  expect({ notes, linked, status }).toEqual({ notes: [], linked: [], status: "" });
});

test("repositories and trees below the checkout stay behind, whatever .worktreeinclude says", {
  tags: ["long"],
}, async () => {
  const person = await repositoryWith({ ".gitignore": "*.env\nvendor/\n", ".worktreeinclude": "*\n" });
  await person.must(["init", "-q", "vendor/inner"]);
  person.write({ "vendor/inner/x.env": "1", "vendor/y.env": "1", "z.env": "1" });
  const first = await made(person);
  expect(existsSync(first.at("z.env"))).toBe(true);
  const { at, status } = await made(person, { name: "two" });
  expect([existsSync(at("vendor/y.env")), existsSync(at("vendor/inner"))]).toEqual([true, false]);
  expect([existsSync(at(".claude/worktrees")), status]).toEqual([false, ""]);
});

test("what comes along is bounded, and where it was cut it is said", async () => {
  const person = await repositoryWith({ ".gitignore": "*.env\n", ".worktreeinclude": "*.env\n" });
  person.write(Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`${n}.env`, "x".repeat(100)])));
  const ground = groundOf(person);
  const repo = await repositoryAt(person.folder, ground);
  const top = join(temporaryFolder(), "tree");
  await person.must(["worktree", "add", "-q", "-b", "side", top]);
  const tree = { name: "one", path: top, branch: "side", checkout: person.folder, base: "", head: null };
  const along = { repo, tree, git: repo.git.at(top), dependencies: [], signal: undefined };
  const few = await copyIgnored({ ...along, limits: { files: 2, bytes: 1e6 } });
  expect(few.notes).toEqual([
    expect.stringMatching(/^Of 6 files that \.worktreeinclude names, 2 came along/),
  ]);
  expect((await copyIgnored({ ...along, limits: { files: 100, bytes: 250 } })).notes).toEqual([
    expect.stringContaining("came along"),
  ]);
  expect(existsSync(join(top, "5.env"))).toBe(false);
});

test("C14: folders of dependencies are linked or copied; a link that no pattern matches is in the record, and in no snapshot", async () => {
  const person = await repositoryWith({
    ".gitignore": "node_modules/\nbuild\ncache/\n",
    "packages/a/index.js": "1\n",
    "lib/x": "tracked",
  });
  person.write({
    "node_modules/p/index.js": "p",
    "packages/a/node_modules/q": "q",
    "build/out/o": "o",
    "cache/c": "c",
  });
  mkdirSync(join(person.folder, "cache/repo/.git"), { recursive: true });
  symlinkSync("../p/index.js", join(person.folder, "node_modules/p/link"));
  const dependencies: GitRequest<"create">["dependencies"] = [
    { folder: "node_modules", how: "link" },
    { folder: "packages/a/node_modules", how: "link" },
    { folder: "build", how: "copy" },
    { folder: "cache", how: "copy" },
    { folder: "not-there", how: "link" },
    { folder: "lib", how: "link" },
    { folder: "../outside", how: "link" },
    { folder: ".claude", how: "copy" },
  ];
  const { at, notes, linked, status } = await made(person, { dependencies });
  expect(readlinkSync(at("node_modules"))).toBe(join(person.folder, "node_modules"));
  expect(readFileSync(at("packages/a/node_modules/q"), "utf8")).toBe("q");
  expect(lstatSync(at("build")).isSymbolicLink()).toBe(false);
  expect(readFileSync(at("build/out/o"), "utf8")).toBe("o");
  expect([existsSync(at("cache/c")), existsSync(at("cache/repo"))]).toEqual([true, false]);
  expect(existsSync(at("not-there"))).toBe(false);
  expect(notes).toEqual([
    expect.stringMatching(/^lib is not brought along: git does not ignore it/),
    expect.stringMatching(/^"\.\.\/outside" is not brought along/),
    expect.stringMatching(/^\.claude is not copied: the worktrees are in it/),
  ]);
  expect(linked).toEqual(["node_modules", "packages/a/node_modules"]);
  expect(status).toBe("?? node_modules\n?? packages/a/node_modules\n");
});

test("what came along is left out of snapshots where the tree's own .gitignore does not name it", {
  tags: ["long"],
}, async () => {
  const person = await repositoryWith({ "a.txt": "1\n", ".worktreeinclude": ".env\n" });
  person.write({ ".gitignore": ".env\n", ".env": "A=1" });
  const { at, linked } = await made(person);
  expect(readFileSync(at(".env"), "utf8")).toBe("A=1");
  expect(linked).toEqual([".env"]);
});

test("writes nothing through a link in the worktree", async () => {
  const outside = temporaryFolder();
  const person = await repositoryWith({ ".gitignore": "*.env\n", ".worktreeinclude": "*.env\n" });
  symlinkSync(outside, join(person.folder, "conf"));
  await person.commit("a link");
  await person.must(["rm", "-q", "--cached", "conf"]);
  await person.must(["checkout", "-q", "-b", "other"]);
  rmSync(join(person.folder, "conf"));
  person.write({ "conf/x.env": "A=1" });
  await made(person);
  expect(existsSync(join(outside, "x.env"))).toBe(false);
});
