import { statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { Base } from "./base.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { fillTree } from "./fill.ts";
import { allThere, GC_TRIES } from "./gc-guard.ts";
import type { Git } from "./git.ts";
import { baseRef } from "./layout.ts";
import { bothEnded } from "./refusal.ts";
import { isRefused, lastLine, refused } from "./repository.ts";
import type { Refused } from "./requests.ts";
import { locateWorktree } from "./worktree-location.ts";

/**
 * A base that became known while its tree was filled is held from then on: a clean-up of git's takes nothing of it. What
 * one took before that is put together again.
 */
export async function holdBase(
  repo: Repository,
  tree: Worktree,
  ask: () => Promise<Base | Refused>,
  ground: GitEnvironment,
): Promise<Base | Refused> {
  for (let attempt = 1; ; attempt += 1) {
    const base = await ask();
    if (isRefused(base) || base.commit === tree.base) return base;
    const failure = await hold(repo, tree, base.commit, ground);
    if (failure === null) return base;
    if (attempt === GC_TRIES || (await isWhole(repo, base.commit))) return failure;
  }
}

async function hold(
  repo: Repository,
  tree: Worktree,
  base: string,
  ground: GitEnvironment,
): Promise<Refused | null> {
  const ref = baseRef(tree.name);
  const held = await repo.git.run(["update-ref", ref, base, tree.base]);
  if (held.code !== 0) return failed(tree, held.err);
  if (await allThere(repo.git.run, repo.common, base, tree.base, [], ground)) return null;
  await repo.git.run(["update-ref", ref, tree.base, base]);
  return refused(`The worktree ${tree.name} could not be made: ${LOST}`);
}

/** Of a commit that no ref held: no `git gc --prune=now` has taken anything of it. */
export async function isWhole({ git, head }: Repository, commit: string): Promise<boolean> {
  const but = head === null ? [] : ["--not", head];
  return (await git.run(["rev-list", "--objects", "--quiet", commit, ...but])).code === 0;
}

/**
 * A tree that was filled while its base was not known yet goes on to it: only the files that differ are written.
 * Answers with notes.
 */
export async function advanceToBase(
  { tree, git, to }: { readonly tree: Worktree; readonly git: Git; readonly to: string },
  signal: AbortSignal | undefined,
): Promise<readonly string[] | Refused> {
  if (to === tree.base) return [];
  nothingIsRacy(tree);
  const difference = ["read-tree", "-m", "-u", "--no-recurse-submodules", tree.base, to];
  const [done, moved] = await bothEnded(
    git.run(difference, signal ? { signal } : {}),
    git.run(["update-ref", "HEAD", to, tree.base]),
  );
  // A file whose filters do not give back what they took seems changed to it; and they may fail.
  const filled = done.code === 0 ? null : await fillTree(git, to, signal);
  if (filled !== null && isRefused(filled)) return filled;
  return moved.code === 0 ? (filled?.notes ?? []) : failed(tree, moved.err);
}

/**
 * Git reads every file again that was written in the second of its index, here most of them, as somebody could have
 * changed it since. Nobody knows of this tree yet; and the index that git writes next is of its own time.
 */
function nothingIsRacy(tree: Worktree): void {
  const place = locateWorktree(tree);
  if (isRefused(place)) return;
  const index = join(place.gitDir, "index");
  const later = statSync(index).mtimeMs / 1_000 + 2;
  utimesSync(index, later, later);
}

/** Of a base that no ref held yet. */
export const LOST = "git gc took away what was not held yet; ask again.";

function failed({ name }: Worktree, err: string): Refused {
  return refused(`The worktree ${name} could not be made: ${lastLine(err)}.`);
}
