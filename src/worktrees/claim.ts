import { makeTree } from "./create.ts";
import { whenNotMaking } from "./deferred.ts";
import { discardWorktree } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { finishRemoval } from "./finish-removal.ts";
import { dropLocksOf, dropPackedLocks } from "./git-locks.ts";
import { type KnownTree, knownTrees } from "./known-trees.ts";
import { newTree } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { restoreUnderLock } from "./restore.ts";
import { isBeingRemoved, readRecord, writeRecord } from "./tree-record.ts";

type Claimed = SuccessOf<"claim">;
type Missing = { readonly type: "missing"; readonly again: boolean };
/** `making`: another live process is making or discarding it, or an orphaned git may still be writing. */
type Taken = Claimed | Missing | "making";

/** Claims the worktree of a resumed actor, in whatever state it is. Rejects with the signal's reason. */
export async function claimTree(request: GitRequest<"create">, ground: GitEnvironment): Promise<Claimed> {
  const repo = await repositoryAt(request.folder, ground);
  // The git worker of a killed session first finishes or discards what it was making.
  const found = await whenNotMaking(request.name, ground, () =>
    withLock<Taken>(repo.common, ground, () => take(repo, request, ground)),
  );
  if (found.type !== "missing") return found;
  const made = await makeTree(request, repo, found.again, ground);
  return { type: "claimed", how: "created-again", ...made };
}

async function take(repo: Repository, request: GitRequest<"create">, ground: GitEnvironment): Promise<Taken> {
  const known = (await knownTrees(repo)).find(({ name }) => name === request.name);
  if (known === undefined) return { type: "missing", again: false };
  const { record, snapshot, ignored } = known;
  const whose = record && inUse(known, request, ground);
  if (whose) return whose;
  await dropPackedLocks(repo.common, ground);
  if (!dropLocksOf(repo.common, request.name, ground)) return "making";
  if (record !== null && !record.made) {
    await discardWorktree(repo, record);
    return take(repo, request, ground);
  }
  if (record !== null && isBeingRemoved(repo.common, request.name)) {
    await finishRemoval(repo, record);
    return take(repo, request, ground);
  }
  if (record !== null && (known.stands || record.deferred !== undefined)) {
    await writeRecord(repo.common, request.name, { ...record, owner: request.owner });
    return { type: "claimed", tree: record.tree, how: "as-it-is", notes: [] };
  }
  const isBack = record?.result === "merged" || record?.result === "empty";
  if (isBack || (snapshot === null && ignored === null)) return { type: "missing", again: true };
  return putBack(repo, request, known, ground);
}

/** Returns null if the owner is dead or is the caller. */
function inUse(
  { name, record }: KnownTree,
  { owner }: GitRequest<"create">,
  ground: GitEnvironment,
): "making" | null {
  if (record === null) return null;
  const { process } = record.owner;
  const isOurs = process.pid === owner.process.pid && process.startedAt === owner.process.startedAt;
  if (!isOurs && ground.isAlive(process))
    refuseRequest(
      `The worktree ${name} is another session's, which still runs (pid ${process.pid}); end it first.`,
    );
  if (!record.made && ground.isAlive(record.maker)) return "making";
  return null;
}

async function putBack(
  repo: Repository,
  { name, owner }: GitRequest<"create">,
  { base }: KnownTree,
  ground: GitEnvironment,
): Promise<Claimed> {
  await restoreUnderLock(repo, name, ground);
  const record = await readRecord(repo.common, name);
  if (record === null && base === null) refuseRequest(`The base of ${name} is no longer known.`);
  const tree = record?.tree ?? newTree(repo.top, name, base ?? "", null);
  const known = record ?? {
    tree,
    at: ground.now(),
    made: true,
    maker: ground.self,
    linked: [],
    result: null,
  };
  await writeRecord(repo.common, name, { ...known, owner });
  return { type: "claimed", tree, how: "put-back", notes: [] };
}
