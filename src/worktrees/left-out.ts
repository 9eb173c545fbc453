import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join, posix } from "node:path";
import { SECRET_PATTERNS } from "../policy/secrets/patterns.ts";
import { NESTED, type RawChange, rawChanges } from "./changes.ts";
import type { Repository } from "./environment.ts";
import { type Git, type GitAnswer, parts } from "./git.ts";
import { bothEnded, outputOf } from "./refusal.ts";
import { chunks } from "./side-index.ts";
import type { TreeGit } from "./worktree-location.ts";

/**
 * `root`: the tree of the index, without nested repositories; `changes`: since the tree before it, with directories.
 * `commit` runs while they are counted.
 */
export interface LeftRepositories {
  readonly root: string;
  readonly changes: readonly RawChange[];
  /** The result of the commit. */
  readonly made: GitAnswer;
  readonly notes: readonly string[];
}

/**
 * Removes nested repositories from the index: git would store only the name of their commit. `travels`: and symbolic links
 * that lead nowhere on another machine.
 */
export async function leaveNestedOut(
  git: TreeGit,
  index: string,
  before: string,
  commit: (root: string) => Promise<GitAnswer>,
  travels = false,
): Promise<LeftRepositories> {
  const failed = "Its files could not be written as a tree";
  const rootNow = async () => outputOf(await git(["write-tree"], { index }), failed).trim();
  const since = async (root: string) => (root === before ? [] : rawChanges(git, before, root));
  const root = await rootNow();
  const [changes, made] = await bothEnded(since(root), commit(root));
  const links = new Set(travels ? await outwardLinks(git, changes) : []);
  const nested = changes.filter(({ path, newMode }) => newMode === NESTED || links.has(path));
  if (nested.length === 0) return { root, changes, made, notes: [] };
  for (const { path, oldMode, oldId } of nested) {
    const stays = oldMode === NESTED || (links.has(path) && /^1/.test(oldMode));
    const put = stays ? ["--cacheinfo", `${oldMode},${oldId},${path}`] : ["--force-remove", "--", path];
    outputOf(await git(["update-index", ...put], { index }), failed);
  }
  const without = await rootNow();
  const notes = nested.map(({ path }) =>
    links.has(path)
      ? `${path} is a symbolic link out of the worktree, so it does not leave this machine.`
      : `${path} is a repository of its own and is in no snapshot.`,
  );
  return { root: without, changes: await since(without), made: await commit(without), notes };
}

const LINK = "120000";
const PARALLEL = 8;
/** The longest path that systems allow. */
const MAX_TARGET_BYTES = 4096;

/** Returns the new symbolic links that lead out of the worktree, or into git's own files. */
export async function outwardLinks(run: Git["run"], changes: readonly RawChange[]): Promise<string[]> {
  const found: string[] = [];
  const links = changes.filter(({ newMode }) => newMode === LINK);
  for (const some of chunks(links, PARALLEL))
    await Promise.all(
      some.map(async ({ path, newId }) => {
        const { code, out } = await run(["cat-file", "blob", newId], { mostBytes: MAX_TARGET_BYTES });
        if (code !== 0 || leadsOut(path, out)) found.push(path);
      }),
    );
  return found;
}

function leadsOut(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || target.includes("\0")) return true;
  const names = posix.join(posix.dirname(path), target).split("/");
  return names.some((name) => name === ".." || name.toLowerCase() === ".git");
}

/** A file with a key is small. */
const READ_BYTES = 4 * 1024 * 1024;

/**
 * Removes untracked files with a secret from an index that has the whole checkout: they must not leave this machine.
 * Returns notes that name them.
 */
export async function leaveSecretsOut(repo: Repository, index: string): Promise<string[]> {
  const asked =
    repo.head === null
      ? ["ls-files", "-z"]
      : ["diff-index", "--cached", "--no-renames", "--diff-filter=A", "--name-only", "-z", repo.head];
  const what = `What is in ${repo.top} could not be checked for secrets`;
  const untracked = parts(outputOf(await repo.git.run(asked, { index }), what));
  const found = untracked.flatMap((path) => {
    const name = secretIn(join(repo.top, path));
    return name === null ? [] : [{ path, name }];
  });
  const paths = found.map(({ path }) => path);
  for (const some of chunks(paths, 400))
    outputOf(await repo.git.run(["update-index", "--force-remove", "--", ...some], { index }), what);
  return found.map(
    ({ path, name }) => `${path} is not sent to runners: it seems to have a secret (${name}).`,
  );
}

/** Returns the name of the first secret in a file, or null. */
function secretIn(file: string): string | null {
  const text = textOf(file);
  const found = SECRET_PATTERNS.find(({ hint, find }) => hint.test(text) && text.search(find) !== -1);
  return found?.name ?? null;
}

function textOf(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // A link, or gone since: it is not read.
    return "";
  }
  try {
    const buffer = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, READ_BYTES));
    return buffer.toString("latin1", 0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}
