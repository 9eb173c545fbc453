import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { fillTree } from "./fill.ts";
import { hasAllObjects } from "./gc-guard.ts";
import type { Git } from "./git.ts";
import { baseRef } from "./layout.ts";
import { bothEnded, outputOf, refuseByGit } from "./refusal.ts";
import { locateWorktree } from "./worktree-location.ts";

/** Puts a ref on the base of a new worktree. `again`: its name was used before. */
export async function holdNewBase(
  { git, common, head }: Repository,
  tree: Worktree,
  again: boolean,
  ground: GitEnvironment,
): Promise<void> {
  const { name, base } = tree;
  const held = await git.run(["update-ref", baseRef(name), base, ...(again ? [] : [""])]);
  outputOf(held, notMade(tree));
  if (base === head || head === null) return;
  // A `git gc --prune=now` drops objects that no ref holds yet.
  const isThere = await hasAllObjects(git.run, common, base, head, [], ground);
  if (!isThere) refuseByGit(`${notMade(tree)}: ${LOST}`);
}

/** Puts a ref on a base that became known while its worktree was filled, so that `git gc` cannot drop it. */
export async function holdBase(
  repo: Repository,
  tree: Worktree,
  base: string,
  ground: GitEnvironment,
): Promise<void> {
  if (base === tree.base) return;
  const ref = baseRef(tree.name);
  outputOf(await repo.git.run(["update-ref", ref, base, tree.base]), notMade(tree));
  if (await hasAllObjects(repo.git.run, repo.common, base, tree.base, [], ground)) return;
  await repo.git.run(["update-ref", ref, tree.base, base]);
  refuseByGit(`${notMade(tree)}: ${LOST}`);
}

/**
 * Moves a worktree that was filled before its base was known to that base; writes only the files that differ. Returns
 * notes.
 */
export async function advanceToBase(
  { tree, git, to }: { readonly tree: Worktree; readonly git: Git; readonly to: string },
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  if (to === tree.base) return [];
  nothingIsRacy(tree);
  const difference = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree.base, to];
  const [done, moved] = await bothEnded(
    git.run(difference, signal ? { signal } : {}),
    git.run(["update-ref", "HEAD", to, tree.base]),
  );
  // Git sees a file as changed if its filters do not reproduce the content; and filters may fail.
  const notes = done.code === 0 ? [] : await fillTree(git, to, signal);
  outputOf(moved, notMade(tree));
  return notes;
}

/**
 * Git rereads every file written in the same second as its index, here most of them, because it could have changed
 * since. No agent knows of this worktree yet, and the index that git writes next has its own time.
 */
function nothingIsRacy(tree: Worktree): void {
  const index = join(locateWorktree(tree).gitDir, "index");
  const later = statSync(index).mtimeMs / 1_000 + 2;
  utimesSync(index, later, later);
}

/** Error for a base that no ref held yet. */
const LOST = "git gc took away what was not held yet; ask again";

export function notMade({ name }: Pick<Worktree, "name">): string {
  return `The worktree ${name} could not be made`;
}
