import { existsSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { boundsOf } from "../../../src/policy/sandbox/bounds.ts";
import { Leftovers } from "../../../src/policy/sandbox/leftovers.ts";
import { nestedProtected } from "../../../src/policy/sandbox/nested.ts";
import { temporaryFolder } from "../../support/temporary.ts";

function tree(...paths: string[]): string {
  const root = temporaryFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  return root;
}

test("what is protected is found in nested projects: hooks and configuration of a repository, other names whole (4.4)", () => {
  const root = tree(
    ...[".git/HEAD", "a/.git/HEAD", "a/b/.vscode/x.json", "a/b/c/.npmrc", "s/.git", "src/main.ts"],
    ...["node_modules/x/.npmrc", ".claude/settings.json", "Package/.MCP.json"],
  );
  expect(
    nestedProtected(root)
      .map((path) => path.slice(root.length + 1))
      .sort(),
  ).toEqual([
    ...[".claude", ".git/config", ".git/hooks", "Package/.MCP.json", "a/.git/config", "a/.git/hooks"],
    ...["a/b/.vscode", "a/b/c/.npmrc", "s/.git"],
  ]);
});

test("a worktree below our folder is an ordinary checkout", () => {
  const root = tree(".claude/worktrees/one/src/a.ts", ".claude/worktrees/one/.git");
  const worktree = join(root, ".claude/worktrees/one");
  expect(nestedProtected(worktree)).toEqual([join(worktree, ".git")]);
});

test("the root may be a worktree, whose .git is a file: it is held, and what git needs of the repository is given by name", () => {
  const root = tree("work/.git", "repo/.git/objects/pack/p", "repo/.git/refs/heads/main", "home/x", "tmp/x");
  const at = (name: string) => join(root, name);
  const ground = { ...{ home: at("home"), troupeHome: at("troupe") }, temporary: at("tmp"), denyRead: [] };
  const bounds = boundsOf(ground, {
    ...{ writable: [at("work")], readable: [] },
    git: {
      writable: [at("repo/.git/objects"), at("repo/.git/none")],
      held: [at("repo/.git/objects/pack"), at("repo/.git/nothing")],
    },
  });
  expect(bounds.allowWrite).toEqual([at("work"), at("repo/.git/objects"), at("tmp")]);
  expect(bounds.denyWrite).toContain(at("work/.git"));
  expect(bounds.denyWrite.filter((path) => path.startsWith(at("repo")))).toEqual([
    at("repo/.git/objects/pack"),
  ]);
});

test("folders that are written are told as they really are, the outermost only; nothing relative, nothing that holds the home", () => {
  const root = tree("repo/sub/x", "home/x", "tmp/x");
  symlinkSync(join(root, "repo"), join(root, "link"));
  const ground = {
    ...{ home: join(root, "home"), troupeHome: join(root, "troupe") },
    ...{ temporary: join(root, "tmp"), denyRead: ["~/diary", "/etc/mine"] },
  };
  const place = (...writable: string[]) => boundsOf(ground, { writable, readable: [join(root, "none")] });
  const bounds = place(join(root, "link"), join(root, "repo/sub"));
  expect(bounds.allowWrite).toEqual([join(root, "repo"), join(root, "tmp")]);
  expect(bounds.allowRead).toEqual([]);
  expect(bounds.denyRead).toEqual(
    expect.arrayContaining([
      join(root, "home/.ssh"),
      join(root, "home/diary"),
      "/etc/mine",
      join(root, "troupe"),
    ]),
  );
  expect(() => place("repo")).toThrow("not an absolute path");
  expect(() => place(root)).toThrow("the whole home");
  expect(() => place("/")).toThrow("the whole home");
});

test("a repository's own folder, as a root for an agent in a worktree, keeps its hooks and configuration, and its submodules theirs", () => {
  const git = tree("HEAD", "objects/x", "config", "hooks/x", "modules/sub/config");
  const ground = {
    home: "/home/nobody-here",
    troupeHome: "/troupe",
    temporary: temporaryFolder(),
    denyRead: [],
  };
  const { denyWrite } = boundsOf(ground, { writable: [git], readable: [] });
  expect(denyWrite.map((path) => path.slice(git.length + 1)).sort()).toEqual([
    ...["config", "hooks", "modules/sub/config", "modules/sub/hooks/nothing"],
  ]);
});

test("leftovers of a process that is no more are taken away, and nothing that is somebody's", () => {
  const folder = temporaryFolder();
  const root = temporaryFolder();
  const path = (name: string) => join(root, name);
  for (const name of ["empty", "full"]) mkdirSync(path(name));
  for (const name of ["full/x", "written", "mine"])
    writeFileSync(path(name), name === "written" ? "text" : "");
  writeFileSync(path("placeholder"), "", { mode: 0o444 });
  const paths = ["empty", "full", "written", "mine", "placeholder", "gone"].map(path);
  const own = join(temporaryFolder(), "troupe-sandbox-x");
  mkdirSync(join(own, "tmp"), { recursive: true });
  // No process has this id: it is above what any system gives.
  writeFileSync(join(folder, "dead.json"), JSON.stringify({ pid: 2 ** 30, folder: own, paths }));
  writeFileSync(join(folder, "odd.json"), "{");
  writeFileSync(
    join(folder, "alive.json"),
    JSON.stringify({ pid: process.pid, folder: root, paths: [path("mine")] }),
  );
  new Leftovers(folder, "/none").sweep();
  expect(readdirSync(root).sort()).toEqual(["full", "mine", "written"]);
  expect(readdirSync(folder)).toEqual(["alive.json"]);
  expect(existsSync(own)).toBe(false);
  writeFileSync(join(folder, "dead.json"), JSON.stringify({ pid: 2 ** 30, folder: root, paths: [] }));
  new Leftovers(folder, "/none").sweep();
  expect(existsSync(root)).toBe(true);
});

test("notes are written before they are needed, once, and are gone when nothing is left", () => {
  const folder = join(temporaryFolder(), "leftovers");
  const leftovers = new Leftovers(folder, "/none");
  leftovers.note([]);
  expect(existsSync(folder)).toBe(false);
  leftovers.note(["/a"]);
  leftovers.note(["/a", "/b"]);
  expect(readdirSync(folder)).toHaveLength(1);
  leftovers.clear();
  rmdirSync(folder);
});
