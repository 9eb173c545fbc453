import type { Tree } from "../mailbox/worktree.ts";
import { fillTree } from "./fill.ts";
import { allThere } from "./gc-guard.ts";
import type { Git } from "./git.ts";
import type { Ground, Repository } from "./ground.ts";
import { baseRef } from "./layout.ts";
import { isRefused, lastLine, refused } from "./repository.ts";
import type { Refused } from "./requests.ts";

/**
 * A tree that was filled while its base was not known yet goes on to it: only the files that differ are written, and
 * the branch moves last. Answers with notes.
 */
export async function catchUp(
  repo: Repository,
  { tree, git, to }: { readonly tree: Tree; readonly git: Git; readonly to: string },
  ground: Ground,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | Refused> {
  if (to === tree.base) return [];
  const held = await repo.git.run(["update-ref", baseRef(tree.name), to, tree.base]);
  if (held.code !== 0) return failed(tree, held.err);
  if (!(await allThere(repo.git.run, repo.common, to, tree.base, [], ground)))
    return refused(`The worktree ${tree.name} could not be made: ${LOST}`);
  const difference = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree.base, to];
  const done = await git.run(difference, signal ? { signal } : {});
  // A file whose filters do not give back what they took seems changed to it; and they may fail.
  const filled = done.code === 0 ? null : await fillTree(git, to, signal);
  if (filled !== null && isRefused(filled)) return filled;
  const moved = await git.run(["update-ref", "HEAD", to, tree.base]);
  return moved.code === 0 ? (filled?.notes ?? []) : failed(tree, moved.err);
}

/** Of a base that no ref held yet. */
export const LOST = "git gc took away what was not held yet; ask again.";

function failed({ name }: Tree, err: string): Refused {
  return refused(`The worktree ${name} could not be made: ${lastLine(err)}.`);
}
