import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { exists, isDirectory, listNames } from "../../lib/on-disk.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { type Enclosure, sharedGit } from "../confinement/write-scope.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { protectedName, protectedNames } from "../protected-paths.ts";
import { treeOf } from "../trust/git-repository.ts";
import { realOrNull, seenAs } from "./denied-paths.ts";
import type { Run } from "./probe.ts";
import type { SandboxPlace } from "./sandbox.ts";

/** Every one costs a mount. */
const MOST_HELD = 500;

/** What turns a repository's own directory into something that runs programs, or into part of another repository. */
const OF_REPOSITORY = "hooks config config.worktree info/attributes objects/info/alternates commondir".split(
  " ",
);

/** Protected names that a command may not leave behind at the top of a directory that it can write. */
const NEVER_MADE = [
  ".claude .troupe .vscode .idea .husky .devcontainer .mcp.json .envrc",
  ".bashrc .bash_profile .profile .zshrc .zprofile",
].flatMap((line) => line.split(" "));

/** What is protected in directories that a command can write. */
export interface Protected {
  /** How existing paths are protected; the directories on the way to them keep their names. */
  readonly seen: readonly ConfinedView[];
  /** What does not exist, and must not once the command has ended. */
  readonly absent: readonly string[];
}

/**
 * Finds the protected paths (permission-semantics 4.4); returns null if they cannot all be protected. Skips installed
 * packages. `own`: the user's directory of settings, which need not have a protected name.
 */
export async function findProtected(
  roots: readonly string[],
  own: string,
  run: Run,
  program: string | null,
): Promise<Protected | null> {
  const found =
    program === null
      ? null
      : await findNames({
          ...{ roots, run, program, except: ["-path", "*/.git/*", "-o", "-name", "node_modules"] },
          tests: protectedNames().map((name) => ["-iname", name]),
        });
  if (found === null) return null;
  const held: string[] = roots.flatMap((root) =>
    isRepository(root) ? ofRepository(root) : NEVER_MADE.map((name) => join(root, name)),
  );
  for (const path of [own, realOf(own)])
    if (roots.some((root) => root !== path && holds(root, path))) held.push(path);
  for (const path of found.paths) {
    const root = roots.find((one) => holds(one, path)) ?? "";
    // The path of the root itself is not checked: a worktree in .claude/worktrees is an ordinary checkout.
    const below = path.slice(root.length);
    if (protectedName(below) === null) continue;
    if (held.some((outer) => holds(outer, path))) continue;
    held.push(...(basename(path) === ".git" && isDirectory(path) ? ofRepository(path) : [path]));
  }
  // A command could give itself the right to what its user owns.
  const real = [...held, ...found.closed].flatMap((path) => realOrNull(path) ?? []);
  if (real.length > MOST_HELD) return null;
  return {
    seen: [
      ...seenAs("read", real),
      ...seenAs(
        "pinned",
        real.flatMap((path) => between(path, roots)),
      ),
    ],
    absent: held.filter((path) => !exists(path)),
  };
}

/** The directories between a path and its root: renamed, they would take the mount with them. */
export function between(path: string, roots: readonly string[]): string[] {
  const above = dirname(path);
  if (roots.includes(above) || !roots.some((root) => holds(root, above))) return [];
  return [above, ...between(above, roots)];
}

/** Git itself must write objects, refs and the index. Submodules have theirs below the repository. */
function ofRepository(directory: string): string[] {
  const modules = join(directory, "modules");
  return [directory, ...listNames(modules).map((name) => join(modules, name))].flatMap((each) =>
    OF_REPOSITORY.map((name) => join(each, name)),
  );
}

function isRepository(directory: string): boolean {
  return isDirectory(join(directory, "objects")) && exists(join(directory, "HEAD"));
}

/** What to look for below some directories. */
export interface ConfinedSearch {
  readonly roots: readonly string[];
  /** Tests of find with their values, one of which must match. */
  readonly tests: readonly (readonly [test: string, value: string])[];
  /** A test for what to skip with everything below it. */
  readonly except?: readonly string[];
  readonly run: Run;
  /** `find`. */
  readonly program: string;
}

export interface Found {
  readonly paths: readonly string[];
  /** Directories that could not be read. */
  readonly closed: readonly string[];
}

const SEARCH_MS = 3_000;
/** The longest path that the system accepts in one call. */
const PATH_BYTES = process.platform === "darwin" ? 1_024 : 4_096;

/** Finds names without following links, parents first; returns null if it may have missed some. */
export async function findNames(search: ConfinedSearch): Promise<Found | null> {
  const { roots, tests, except = [], run, program } = search;
  if (tests.length === 0 || roots.length === 0) return { paths: [], closed: [] };
  const passed = except.length === 0 ? [] : ["(", ...except, ")", "-prune", "-o"];
  const any = tests.flatMap((test) => ["-o", ...test]).slice(1);
  const args = ["-P", ...roots, ...passed, "(", ...any, ")", "-print0"];
  const ended = await run(
    { file: program, args },
    { cwd: "/", env: { LC_ALL: "C" }, timeoutMs: SEARCH_MS, maxOutputBytes: 1_000_000 },
  );
  const closed = ended.stderr.split("\n").filter(Boolean).map(closedDirectory);
  if (ended.exitCode === null || ended.truncated || closed.includes(null)) return null;
  if (ended.exitCode !== 0 && closed.length === 0) return null;
  const paths = ended.stdout.split("\0").filter(Boolean);
  // A program reaches it step by step, but nothing can be mounted there.
  if (paths.some((path) => Buffer.byteLength(path) >= PATH_BYTES)) return null;
  return {
    paths,
    closed: closed.filter((path) => path !== null),
  };
}

/** Returns the directory of an error of find; null for any other error. */
function closedDirectory(line: string): string | null {
  const path = /^find: ['"`‘]?(\/.*?)['"’]?: Permission denied$/.exec(line)?.[1];
  return path !== undefined && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : null;
}

/**
 * Returns what a command in a worktree may write of the repository: only what its own commits need. git replaces a ref
 * by renaming a file into its directory, so the directories of branches and of their logs are writable, and the others'
 * entries in them are each protected by a mount. Packs, other refs, configuration, hooks and the other worktrees'
 * indexes are not writable, so a fetch that brings a pack fails.
 */
export function gitPlaceOf(tree: Enclosure): NonNullable<SandboxPlace["git"]> {
  const { path, branch } = tree;
  const common = sharedGit(tree);
  if (common === null) return { writable: [], held: [] };
  const own = ownFolder(common, path);
  const objects = join(common, "objects");
  const branches = ["refs/heads", "logs/refs/heads"].map((name) => join(common, name));
  const others = branches.flatMap((folder) =>
    listNames(folder).flatMap((name) => (isOwn(name, branch) ? [] : [join(folder, name)])),
  );
  return {
    // With more branches than can be protected, none is writable: a commit fails then, and no branch is at risk.
    writable: [own, objects, ...(others.length > MOST_HELD ? [] : branches)],
    held: [
      ...["commondir", "gitdir", "config.worktree", "locked"].map((name) => join(own, name)),
      ...["pack", "info"].map((name) => join(objects, name)),
      ...(others.length > MOST_HELD ? [] : others),
    ],
  };
}

/** Also while git writes it. */
function isOwn(name: string, branch: string): boolean {
  return name === branch || name === `${branch}.lock`;
}

/** Reads git's own records, not the worktree's: the confined command can write those. */
function ownFolder(common: string, path: string): string {
  const folder = join(common, "worktrees");
  const usual = join(folder, basename(path));
  const others = listNames(folder).map((name) => join(folder, name));
  return [usual, ...others].find((one) => isOf(one, path)) ?? usual;
}

function isOf(folder: string, path: string): boolean {
  const tree = treeOf(folder);
  return tree !== null && realOf(tree) === realOf(path);
}
