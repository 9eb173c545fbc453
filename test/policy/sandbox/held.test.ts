// @module-tag long
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findProtected } from "../../../src/policy/sandbox/find-protected.ts";
import { MadeNames } from "../../../src/policy/sandbox/made.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { runWith } from "./ground.ts";

function tree(...paths: string[]): string {
  const root = temporaryFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  return root;
}

/** What is held in a directory, and what of it must not come to be, without its own path. */
async function heldIn(root: string, own = "/home/me/.claude") {
  const processes = startProcesses({ env: process.env });
  onTestFinished(() => processes.close());
  const found = await findProtected([root], own, runWith(processes), "/usr/bin/find");
  if (found === null) throw new Error("not all was found");
  const below = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).sort();
  const as = (kind: string) => below(found.seen.flatMap((one) => (one.as === kind ? [one.path] : [])));
  return { held: as("read"), pinned: as("pinned"), absent: below(found.absent) };
}

test("finds what is protected at any depth, and the directories on the way to it (4.4)", async () => {
  const root = tree(
    ...[
      ".git/HEAD",
      ".git/config",
      ".git/hooks/x",
      "a/.git/config",
      "a/b/.vscode/x.json",
      "a/b/c/d/e/.npmrc",
    ],
    ...["s/.git", "src/main.ts", "node_modules/x/.npmrc", ".claude/settings.json", "Package/.MCP.json"],
  );
  const { held, pinned } = await heldIn(root);
  expect(held).toEqual([
    ...[".claude", ".git/config", ".git/hooks", "Package/.MCP.json", "a/.git/config"],
    ...["a/b/.vscode", "a/b/c/d/e/.npmrc", "s/.git"],
  ]);
  expect(pinned).toEqual([".git", "Package", "a", "a/.git", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e", "s"]);
});

test("holds the user's directory of settings, whatever its name, if a command could write it", async () => {
  const root = tree("conf/settings.json", "src/main.ts");
  expect((await heldIn(root, join(root, "conf"))).held).toEqual(["conf"]);
  expect((await heldIn(root, join(root, "none"))).absent).toContain("none");
  const link = join(temporaryFolder(), "link");
  symlinkSync(join(root, "conf"), link);
  expect((await heldIn(root, link)).held).toEqual(["conf"]);
});

test("names what does not exist, in every repository and at the top", async () => {
  const { absent } = await heldIn(tree(".git/HEAD", ".git/hooks/x", "a/.git/HEAD"));
  expect(absent).toEqual(expect.arrayContaining([".mcp.json", ".git/commondir", "a/.git/hooks"]));
  expect(absent).not.toContain(".git/hooks");
});

test("takes a worktree below a protected directory for an ordinary checkout", async () => {
  const root = tree(".claude/worktrees/one/src/a.ts", ".claude/worktrees/one/.git");
  expect((await heldIn(join(root, ".claude/worktrees/one"))).held).toEqual([".git"]);
});

test("holds the hooks and configuration of a repository that is itself the root, and of its submodules", async () => {
  const { held } = await heldIn(tree("HEAD", "objects/x", "config", "hooks/x", "modules/sub/config"));
  expect(held).toEqual(["config", "hooks", "modules/sub/config"]);
});

test("holds what a protected link leads to", async () => {
  const root = tree("real/npmrc");
  symlinkSync("real/npmrc", join(root, ".npmrc"));
  expect((await heldIn(root)).held).toEqual(["real/npmrc"]);
});

test("moves what a killed session's commands have made, and nothing of one that runs", () => {
  const [state, root, own] = [
    temporaryFolder(),
    temporaryFolder(),
    join(temporaryFolder(), "troupe-sandbox-x"),
  ];
  mkdirSync(own);
  for (const name of [".envrc", ".mcp.json"]) writeFileSync(join(root, name), "text");
  mkdirSync(join(state, "notes"));
  const note = (file: string, pid: number, name: string, directory: string) =>
    writeFileSync(
      join(state, "notes", file),
      JSON.stringify({ pid, directory, absent: [join(root, name), join(root, "none")] }),
    );
  // No process has this id: it is above what any system gives.
  note("dead.json", 2 ** 30, ".envrc", own);
  note("alive.json", process.pid, ".mcp.json", root);
  new MadeNames(state, "/none").sweep();
  expect(readdirSync(root)).toEqual([".mcp.json"]);
  expect(readdirSync(join(state, "notes"))).toEqual(["alive.json"]);
  expect(existsSync(own)).toBe(false);
  const [moved = ""] = readdirSync(join(state, "moved"));
  expect(readFileSync(join(state, "moved", moved, ".envrc"), "utf8")).toBe("text");
});

test("leaves what came to be long after a session was killed to its user", () => {
  const [state, root] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(root, ".envrc"), "text");
  mkdirSync(join(state, "notes"));
  const file = join(state, "notes", "dead.json");
  writeFileSync(file, JSON.stringify({ pid: 2 ** 30, directory: "", absent: [join(root, ".envrc")] }));
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(file, before, before);
  new MadeNames(state, "/none").sweep();
  expect(readdirSync(root)).toEqual([".envrc"]);
  expect(existsSync(file)).toBe(false);
});

test("notes absent names before a command, and forgets them at the end", () => {
  const state = temporaryFolder();
  const made = new MadeNames(state, "/none");
  made.guard([])();
  expect(existsSync(join(state, "notes"))).toBe(false);
  made.guard(["/a/none"])();
  const end = made.guard(["/a/none", "/b/none"]);
  expect(readdirSync(join(state, "notes"))).toHaveLength(1);
  expect(end()).toBeNull();
  made.clear();
  expect(readdirSync(join(state, "notes"))).toEqual([]);
});

test("immediately moves what appears while a command runs, so that no settings in it are read", async () => {
  const [state, root] = [temporaryFolder(), temporaryFolder()];
  const made = new MadeNames(state, "/none");
  const end = made.guard([join(root, ".claude"), join(root, ".envrc")]);
  mkdirSync(join(root, ".claude"));
  writeFileSync(join(root, "other"), "");
  await vi.waitUntil(() => !existsSync(join(root, ".claude")));
  expect(end()).toContain("make .claude:");
  expect(readdirSync(root)).toEqual(["other"]);
});
