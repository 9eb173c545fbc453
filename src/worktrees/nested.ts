import { NESTED, type RawChange, rawChanges } from "./changes.ts";
import type { GitAnswer } from "./git.ts";
import { bothEnded, outputOf } from "./refusal.ts";
import { outwardLinks } from "./travel/outward-links.ts";
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
