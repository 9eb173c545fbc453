import { setTimeout as pause } from "node:timers/promises";
import type { Worktree } from "../mailbox/worktree.ts";
import { type Earlier, makeTree } from "./create.ts";
import { discardWorktree } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { finishRemoval } from "./finish-removal.ts";
import { type KnownTree, knownTrees } from "./known-trees.ts";
import { branchOf, treePath } from "./layout.ts";
import { withLock } from "./lock.ts";
import { isBeingRemoved } from "./removal-mark.ts";
import { isRefused, refused, repositoryAt } from "./repository.ts";
import type { ClaimAnswer, CreateRequest, Refused } from "./requests.ts";
import { restoreUnderLock } from "./restore.ts";
import { dropLocksOf } from "./stale-locks.ts";
import { readRecord, writeRecord } from "./tree-record.ts";

type Claimed = Extract<ClaimAnswer, { type: "claimed" }>;
type Anew = { readonly type: "anew"; readonly earlier: Earlier | null };
/** Another process that is still alive makes it, or takes it back; or git that was left alone may do something yet. */
type Making = { readonly type: "making" };
type Taken = Claimed | Anew | Making | Refused;

const MAKING_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** The tree of an actor that goes on, wherever that stands. Rejects with the signal's reason. */
export async function claimTree(
  request: CreateRequest,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<ClaimAnswer> {
  const repo = await repositoryAt(request.folder, ground);
  if (isRefused(repo)) return repo;
  const takeLocked = () =>
    withLock<Taken>(repo.common, ground, () => take(repo, request, ground), { signal });
  const until = ground.now() + MAKING_MS;
  let found = await takeLocked();
  // The keeper of a session that was killed takes back what it was making, or finishes it.
  for (; found.type === "making"; found = await takeLocked()) {
    if (ground.now() >= until) return refused(`The worktree ${request.name} is just being made; try again.`);
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
  if (found.type !== "anew") return found;
  const made = await makeTree(request, repo, found.earlier, ground, signal);
  if (made.type === "refused") return made;
  return { type: "claimed", tree: made.tree, how: "made-anew", notes: made.notes };
}

async function take(repo: Repository, request: CreateRequest, ground: GitEnvironment): Promise<Taken> {
  const known = await oneOf(repo, request.name);
  if (known === null) return { type: "anew", earlier: null };
  if (isRefused(known)) return known;
  const { record, snapshot, ignored } = known;
  const whose = record && inUse(known, request, ground);
  if (whose) return whose;
  if (!dropLocksOf(repo.common, request.name, ground)) return { type: "making" };
  if (record !== null && !record.made) {
    await discardWorktree(repo, record);
    return take(repo, request, ground);
  }
  if (record !== null && isBeingRemoved(repo.common, request.name)) {
    const finished = await finishRemoval(repo, record);
    return isRefused(finished) ? finished : take(repo, request, ground);
  }
  if (record !== null && known.stands) {
    await writeRecord(repo.common, request.name, { ...record, owner: request.owner });
    return { type: "claimed", tree: record.tree, how: "as-it-is", notes: [] };
  }
  const isBack = record?.result === "merged" || record?.result === "empty";
  if (isBack || (snapshot === null && ignored === null)) return { type: "anew", earlier: { snapshot } };
  return putBack(repo, request, known, ground);
}

/** Null: there never was one. */
async function oneOf(repo: Repository, name: string): Promise<KnownTree | Refused | null> {
  const known = await knownTrees(repo);
  return isRefused(known) ? known : (known.find((tree) => tree.name === name) ?? null);
}

/** Null: whoever had it is gone, or is the one who asks. */
function inUse(
  { name, record }: KnownTree,
  { owner }: CreateRequest,
  ground: GitEnvironment,
): Refused | Making | null {
  if (record === null) return null;
  const { process } = record.owner;
  const isOurs = process.pid === owner.process.pid && process.startedAt === owner.process.startedAt;
  if (!isOurs && ground.isAlive(process))
    return refused(
      `The worktree ${name} is another session's, which still runs (pid ${process.pid}); end it first.`,
    );
  if (!record.made && ground.isAlive(record.maker)) return { type: "making" };
  return null;
}

async function putBack(
  repo: Repository,
  { name, owner }: CreateRequest,
  { base }: KnownTree,
  ground: GitEnvironment,
): Promise<Claimed | Refused> {
  const restored = await restoreUnderLock(repo, name, ground);
  if (isRefused(restored)) return restored;
  const record = await readRecord(repo.common, name);
  if (record === null && base === null) return refused(`What ${name} began from is not known any more.`);
  const tree: Worktree = record?.tree ?? {
    ...{ name, path: treePath(repo.top, name), branch: branchOf(name), checkout: repo.top },
    ...{ base: base ?? "", head: null },
  };
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
