import { NESTED, type RawChange, rawChanges } from "./changes.ts";
import type { GitAnswer } from "./git.ts";
import { bothEnded, outputOf } from "./refusal.ts";
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

/** Removes nested repositories from the index: git would store only the name of their commit. */
export async function leaveNestedOut(
  git: TreeGit,
  index: string,
  before: string,
  commit: (root: string) => Promise<GitAnswer>,
): Promise<LeftRepositories> {
  const failed = "Its files could not be written as a tree";
  const rootNow = async () => outputOf(await git(["write-tree"], { index }), failed).trim();
  const since = async (root: string) => (root === before ? [] : rawChanges(git, before, root));
  const root = await rootNow();
  const [changes, made] = await bothEnded(since(root), commit(root));
  const nested = changes.filter(({ newMode }) => newMode === NESTED);
  if (nested.length === 0) return { root, changes, made, notes: [] };
  for (const { path, oldMode, oldId } of nested) {
    const put =
      oldMode === NESTED ? ["--cacheinfo", `${NESTED},${oldId},${path}`] : ["--force-remove", "--", path];
    outputOf(await git(["update-index", ...put], { index }), failed);
  }
  const without = await rootNow();
  const notes = nested.map(({ path }) => `${path} is a repository of its own and is in no snapshot.`);
  return { root: without, changes: await since(without), made: await commit(without), notes };
}
