import { NESTED, type RawChange, rawChanges } from "./changes.ts";
import type { GitAnswer } from "./git.ts";
import { lastLine, refused } from "./repository.ts";
import type { Refused } from "./requests.ts";
import type { TreeGit } from "./worktree-location.ts";

/**
 * `root`: the tree that the index is, without repositories within the repository; `changes`: since the tree before it,
 * folders too. `commit` is asked while they are counted.
 */
export type Left =
  | {
      readonly type: "left";
      readonly root: string;
      readonly changes: readonly RawChange[];
      /** What making a commit of it came to. */
      readonly made: GitAnswer;
      readonly notes: readonly string[];
    }
  | Refused;

/** A repository in the tree is not ours to keep: git would note no more than the name of its commit. */
export async function leaveNestedOut(
  git: TreeGit,
  index: string,
  before: string,
  commit: (root: string) => Promise<GitAnswer>,
): Promise<Left> {
  const first = await git(["write-tree"], { index });
  if (first.code !== 0) return refused(lastLine(first.err));
  const root = first.out.trim();
  const [changes, made] = await Promise.all([
    root === before ? [] : rawChanges(git, before, root),
    commit(root),
  ]);
  if (changes === null) return refused("the snapshot before it cannot be read");
  const nested = changes.filter(({ newMode }) => newMode === NESTED);
  if (nested.length === 0) return { type: "left", root, changes, made, notes: [] };
  for (const { path, oldMode, oldId } of nested) {
    const put =
      oldMode === NESTED ? ["--cacheinfo", `${NESTED},${oldId},${path}`] : ["--force-remove", "--", path];
    const done = await git(["update-index", ...put], { index });
    if (done.code !== 0) return refused(lastLine(done.err));
  }
  const second = await git(["write-tree"], { index });
  if (second.code !== 0) return refused(lastLine(second.err));
  const without = second.out.trim();
  const others = await rawChanges(git, before, without);
  if (others === null) return refused("the snapshot before it cannot be read");
  const notes = nested.map(({ path }) => `${path} is a repository of its own and is in no snapshot.`);
  return { type: "left", root: without, changes: others, made: await commit(without), notes };
}
