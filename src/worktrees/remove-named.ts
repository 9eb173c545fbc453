import { filesOf, rawChanges } from "./changes.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { type KnownTree, knownTree } from "./known-trees.ts";
import { snapshotRef } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { refuseRequest } from "./refusal.ts";
import { isBeingRemoved } from "./removal-mark.ts";
import { removeUnderLock } from "./remove.ts";
import { repositoryAt } from "./repository.ts";
import { readRecord } from "./tree-record.ts";
import { snapshotTree } from "./tree-snapshot.ts";

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
