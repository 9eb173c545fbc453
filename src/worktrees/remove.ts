import { lstatSync } from "node:fs";
import type * as z from "zod/mini";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { finishRemoval } from "./finish-removal.ts";
import { isConnected } from "./gc-guard.ts";
import { listedTrees } from "./listed-trees.ts";
import { withLock } from "./lock.ts";
import { isBeingRemoved, markRemoval } from "./removal-mark.ts";
import { isRefused, refused, repositoryAt } from "./repository.ts";
import type { DoneAnswer, Refused, RemoveRequest } from "./requests.ts";
import { withTreeLock } from "./tree-lock.ts";
import { readRecord, type TreeRecord } from "./tree-record.ts";
import { snapshotLocked } from "./tree-snapshot.ts";
import { holdTheRest, unsavedIn } from "./unsaved.ts";
import { gitOn, locateWorktree } from "./worktree-location.ts";

type Done = z.infer<typeof DoneAnswer>;

/** The tree and its branch go, once every byte of it is provably in a ref of ours; else nothing changes (C10). */
export async function removeTree(
  { tree }: z.infer<typeof RemoveRequest>,
  ground: GitEnvironment,
): Promise<Done> {
  const repo = await repositoryAt(tree.checkout, ground);
  if (isRefused(repo)) return repo;
  return withLock(repo.common, ground, () => removeUnderLock(repo, tree, ground));
}

/** For who has the repository's lock already. */
export async function removeUnderLock(
  repo: Repository,
  tree: Worktree,
  ground: GitEnvironment,
): Promise<Done> {
  const record = await readRecord(repo.common, tree.name);
  if (record === null || record.tree.path !== tree.path)
    return refused(`Nothing is known of a worktree ${tree.name} at ${tree.path}, so it is left alone.`);
  // All of it was saved, and a part of it may be gone already: a look at it would tell of deletions.
  if (isBeingRemoved(repo.common, tree.name)) return finishRemoval(repo, record);
  const listed = await listedTrees(repo);
  if (isRefused(listed)) return listed;
  const found = listed.find(({ path }) => path === tree.path);
  const isThere = lstatSync(tree.path, { throwIfNoEntry: false }) !== undefined;
  if (found === undefined && isThere)
    return refused(`${tree.path} is no work tree of git's any more, so it is left alone.`);
  if (found?.locked === true)
    return refused(`The worktree ${tree.path} is locked; git worktree unlock would allow it.`);
  const within = listed.find(({ path }) => path.startsWith(`${tree.path}/`));
  if (within !== undefined)
    return refused(`Another worktree stands within ${tree.path} (${within.path}); remove that one first.`);
  if (found !== undefined && isThere) {
    const saved = await withTreeLock(repo.common, tree.name, ground, () => save(record, ground));
    if (saved.type === "refused") return saved;
    markRemoval(repo.common, tree.name, saved.commit);
  }
  return finishRemoval(repo, record);
}

/** A last snapshot, and the proof that it has everything. */
async function save(
  { tree, linked }: TreeRecord,
  ground: GitEnvironment,
): Promise<{ type: "saved"; commit: string } | Refused> {
  const place = locateWorktree(tree);
  if ("type" in place) return place;
  const git = gitOn(tree, place, ground);
  const look = (doubted: boolean) => snapshotLocked({ tree, files: null }, place, ground, doubted);
  const first = await look(false);
  // A `git prune` at the very moment of a snapshot takes what no ref held yet, and nothing tells us.
  const isWhole = first.type === "refused" || (await isConnected(git, first.commit, tree.base));
  const taken = isWhole ? first : await look(true);
  if (taken.type === "refused") return taken;
  const unsaved = await unsavedIn(git, place, tree, linked, taken.commit, ground);
  if ("type" in unsaved) return refused(`${tree.path} was not removed. ${unsaved.reason}`);
  if (unsaved.length > 0)
    return refused(
      `${tree.path} was not removed, as this in it is saved nowhere: ${some(unsaved)}. Move it away, or remove the worktree by hand.`,
    );
  const rest = await holdTheRest(git, place, tree, taken.commit, ground);
  return rest === null
    ? { type: "saved", commit: taken.commit }
    : refused(`${tree.path} was not removed. ${rest.reason}`);
}

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(", ");
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
