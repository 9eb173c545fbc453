import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { fillTree } from "./fill.ts";
import { allThere } from "./gc-guard.ts";
import type { Git } from "./git.ts";
import { baseRef } from "./layout.ts";
import { bothEnded, outputOf, refuseByGit } from "./refusal.ts";
import { locateWorktree } from "./worktree-location.ts";

/** A base that became known while its tree was filled is held from then on: a clean-up of git's takes nothing of it. */
export async function holdBase(
  repo: Repository,
  tree: Worktree,
  base: string,
  ground: GitEnvironment,
): Promise<void> {
  if (base === tree.base) return;
  const ref = baseRef(tree.name);
  outputOf(await repo.git.run(["update-ref", ref, base, tree.base]), notMade(tree));
  if (await allThere(repo.git.run, repo.common, base, tree.base, [], ground)) return;
  await repo.git.run(["update-ref", ref, tree.base, base]);
  refuseByGit(`${notMade(tree)}: ${LOST}`);
}

/**
 * A tree that was filled while its base was not known yet goes on to it: only the files that differ are written.
 * Answers with notes.
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
  // A file whose filters do not give back what they took seems changed to it; and they may fail.
  const notes = done.code === 0 ? [] : await fillTree(git, to, signal);
  outputOf(moved, notMade(tree));
  return notes;
}

/**
 * Git reads every file again that was written in the second of its index, here most of them, as somebody could have
 * changed it since. Nobody knows of this tree yet; and the index that git writes next is of its own time.
 */
function nothingIsRacy(tree: Worktree): void {
  const place = locateWorktree(tree);
  if ("type" in place) return;
  const index = join(place.gitDir, "index");
  const later = statSync(index).mtimeMs / 1_000 + 2;
  utimesSync(index, later, later);
}

/** Of a base that no ref held yet. */
export const LOST = "git gc took away what was not held yet; ask again";

export function notMade({ name }: Pick<Worktree, "name">): string {
  return `The worktree ${name} could not be made`;
}
