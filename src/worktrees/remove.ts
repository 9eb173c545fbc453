import { lstatSync } from "node:fs";
import { listSome } from "../lib/text.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { filesOf, rawChanges } from "./changes.ts";
import { removeDeferred } from "./deferred.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { finishRemoval } from "./finish-removal.ts";
import { isConnected } from "./gc-guard.ts";
import { type KnownTree, knownTree, listedTrees } from "./known-trees.ts";
import { snapshotRef } from "./layout.ts";
import { withLock, withTreeLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { GitRefusal, refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { isBeingRemoved, markRemoval, readRecord, type TreeRecord } from "./tree-record.ts";
import { snapshotLocked, snapshotTree } from "./tree-snapshot.ts";
import { keepUnsaved, unsavedIn } from "./unsaved.ts";
import { gitOn, locateWorktree } from "./worktree-location.ts";

/**
 * Removes the worktree and its branch once every byte is provably in one of Troupe's refs; otherwise changes nothing
 * (C10).
 */
export async function removeTree(
  { tree }: GitRequest<"remove">,
  ground: GitEnvironment,
): Promise<SuccessOf<"remove">> {
  if (await removeDeferred(tree, ground)) return { type: "done" };
  const repo = await repositoryAt(tree.checkout, ground);
  await withLock(repo.common, ground, () => removeUnderLock(repo, tree, ground));
  return { type: "done" };
}

/** For callers that hold the repository's lock. */
export async function removeUnderLock(
  repo: Repository,
  tree: Worktree,
  ground: GitEnvironment,
): Promise<void> {
  const record = await readRecord(repo.common, tree.name);
  if (record === null || record.tree.path !== tree.path)
    return refuseRequest(`Nothing is known of a worktree ${tree.name} at ${tree.path}, so it is left alone.`);
  // Everything was saved, and a part may already be gone: a snapshot would record deletions.
  if (isBeingRemoved(repo.common, tree.name)) return finishRemoval(repo, record);
  const listed = await listedTrees(repo);
  const found = listed.find(({ path }) => path === tree.path);
  const isThere = lstatSync(tree.path, { throwIfNoEntry: false }) !== undefined;
  if (found === undefined && isThere)
    refuseRequest(`${tree.path} is no longer a worktree of git, so it is not touched.`);
  if (found?.locked === true)
    refuseRequest(`The worktree ${tree.path} is locked; git worktree unlock would allow it.`);
  const within = listed.find(({ path }) => path.startsWith(`${tree.path}/`));
  if (within !== undefined)
    refuseRequest(`Another worktree stands within ${tree.path} (${within.path}); remove that one first.`);
  if (found !== undefined && isThere) {
    const saved = await withTreeLock(repo.common, tree.name, ground, () => save(record, ground));
    markRemoval(repo.common, tree.name, saved);
  }
  return finishRemoval(repo, record, listed);
}

/** Takes a last snapshot and proves that it has everything. */
async function save({ tree, linked }: TreeRecord, ground: GitEnvironment): Promise<string> {
  const place = locateWorktree(tree);
  const git = gitOn(tree, place, ground);
  const look = (doubted: boolean) => snapshotLocked({ tree, files: null }, place, ground, doubted);
  const first = await look(false);
  // A `git prune` during a snapshot silently drops what no ref held yet.
  const isWhole = await isConnected(git, first.commit, tree.base);
  const taken = isWhole ? first : await look(true);
  const kept = <T>(work: Promise<T>) => work.catch(notRemoved(tree));
  const unsaved = await kept(unsavedIn(git, place, tree, linked, taken.commit, ground));
  if (unsaved.length > 0)
    refuseRequest(
      `${tree.path} was not removed, as this in it is saved nowhere: ${listSome(unsaved, 5)}. Move it away, or remove the worktree by hand.`,
    );
  await kept(keepUnsaved(git, place, tree, taken.commit, ground));
  return taken.commit;
}

function notRemoved({ path }: Worktree): (error: unknown) => never {
  return (error) => {
    throw error instanceof GitRefusal ? new GitRefusal(`${path} was not removed. ${error.message}`) : error;
  };
}

type Removed = SuccessOf<"removeNamed">;
type Request = GitRequest<"removeNamed">;

/** Removes an idle worktree, as the user asked. Its snapshots are always kept. */
export async function removeNamedTree(request: Request, ground: GitEnvironment): Promise<Removed> {
  const repo = await repositoryAt(request.folder, ground);
  return withLock(repo.common, ground, () => removeNamed(repo, request, ground));
}

async function removeNamed(
  repo: Repository,
  { name, force }: Request,
  ground: GitEnvironment,
): Promise<Removed> {
  const known = await knownTree(repo, name);
  const { record } = known;
  const removed: Removed = { type: "removed", ref: snapshotRef(name) };
  if (record === null) return removed;
  const isThere = known.stands || record.deferred !== undefined;
  if (isThere && ground.isAlive(record.owner.process))
    refuseRequest(`The session of ${name} is still running (pid ${record.owner.process.pid}); end it first.`);
  if (!force && known.stands && !isBeingRemoved(repo.common, name)) {
    const unsaved = await unmergedPaths(repo, known, ground);
    if (unsaved.length > 0) return { type: "unsaved", paths: unsaved };
  }
  await removeUnderLock(repo, record.tree, ground);
  return removed;
}

/** Returns the paths of edits that are in no checkout as of now. */
export async function unmergedPaths(
  repo: Repository,
  { record }: KnownTree,
  ground: GitEnvironment,
): Promise<string[]> {
  if (record === null) return refuseRequest("Nothing is known of it.");
  const taken = await snapshotTree({ tree: record.tree, files: null }, ground);
  // If there are new edits, the snapshot clears the result of the earlier ones.
  const now = await readRecord(repo.common, record.tree.name);
  if (now !== null && isDone(now.result)) return [];
  const changes = await rawChanges((args) => repo.git.run(args), record.tree.base, taken.commit);
  return filesOf(changes).map(({ path }) => path);
}

function isDone(result: string | null): boolean {
  return result === "merged" || result === "empty";
}
