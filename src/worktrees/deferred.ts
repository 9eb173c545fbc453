import { rmSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Worktree } from "../mailbox/worktree.ts";
import { baseOf, holdNewBase } from "./base.ts";
import { assertTreeName, beginTree, finishTree, makeTree, newRecord, refuseTaken } from "./create.ts";
import { discardWorktree } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { submodulesOf } from "./fill.ts";
import { removeEmptyFolders } from "./finish-removal.ts";
import { gitIn } from "./git.ts";
import { deleteRef, dropLocksOf } from "./git-locks.ts";
import { baseRef, treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { refuseRequest, retryAfterGc } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { readRecord, type TreeRecord, writeRecord } from "./tree-record.ts";
import { makeTreesFolder } from "./trees-folder.ts";
import { commonFolder } from "./worktree-location.ts";

const MAKING_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** A record whose worktree is not made. */
type Deferred = TreeRecord & { readonly deferred: NonNullable<TreeRecord["deferred"]> };

/**
 * Takes the base of a worktree and holds it by a ref; the worktree itself is made by `makeDeferred`. Within another worktree of
 * an agent it is made immediately: that one must not be removed before it.
 */
export async function deferTree(
  request: GitRequest<"create">,
  ground: GitEnvironment,
): Promise<SuccessOf<"create">> {
  assertTreeName(request.name);
  return retryAfterGc(commonFolder(request.folder) ?? request.folder, ground, async () => {
    const repo = await repositoryAt(request.folder, ground);
    const base = await baseOf(repo, request, ground);
    if (await isAgents(repo)) return { type: "created", ...(await makeTree(request, repo, false, ground)) };
    const { dependencies } = request;
    const record = newRecord(request, repo, base, ground);
    await withLock(repo.common, ground, () => begin(repo, record, { dependencies }, ground));
    return { type: "created", tree: record.tree, notes: [...base.notes, ...(await submodulesOf(repo.git))] };
  });
}

/** True if a checkout is itself a worktree of Troupe. */
async function isAgents({ top, common, gitDir }: Repository): Promise<boolean> {
  if (gitDir === common) return false;
  return (await readRecord(common, basename(top)))?.tree.path === top;
}

/** What cannot be made later is refused now, before its agent has worked. */
async function begin(
  repo: Repository,
  record: TreeRecord,
  deferred: Deferred["deferred"],
  ground: GitEnvironment,
): Promise<void> {
  const { name } = record.tree;
  await makeTreesFolder(repo);
  await refuseTaken(repo, record.tree, false);
  try {
    // Half made, until its base is held: after a crash nothing is left of it.
    await writeRecord(repo.common, name, record);
    await holdNewBase(repo, record.tree, false, ground);
    await writeRecord(repo.common, name, { ...record, made: true, deferred });
  } catch (error) {
    await discardWorktree(repo, record);
    throw error;
  }
}

/** Makes a deferred worktree, whatever a killed git worker has left of it; returns notes. Does nothing if it was made. */
export async function makeDeferred(
  { name, checkout }: Pick<Worktree, "name" | "checkout">,
  ground: GitEnvironment,
): Promise<readonly string[]> {
  const common = commonFolder(checkout);
  if (common === null || !isDeferred(await readRecord(common, name))) return [];
  const repo = await repositoryAt(checkout, ground);
  const begun = await whenNotMaking(name, ground, () =>
    withLock(repo.common, ground, () => beginMaking(repo, name, ground)),
  );
  if (begun === null) return [];
  const base = Promise.resolve({ commit: begun.tree.base, notes: [] });
  const { notes } = await finishTree(begun.deferred, { repo, record: begun, base }, ground);
  return notes;
}

/** Returns null if it was made. */
async function beginMaking(
  repo: Repository,
  name: string,
  ground: GitEnvironment,
): Promise<Deferred | null | "making"> {
  const record = await readRecord(repo.common, name);
  if (!isDeferred(record)) return null;
  if (!(await isUnmade(repo, record, ground))) return "making";
  const making = { ...record, made: false, maker: ground.self };
  await beginTree(repo, making, true, ground);
  return making;
}

/** Returns whether a worktree is deferred; waits while it is made. Then it has no edits. */
export async function isTreeDeferred(
  { name, checkout }: Pick<Worktree, "name" | "checkout">,
  ground: GitEnvironment,
): Promise<boolean> {
  const common = commonFolder(checkout);
  if (common === null) return false;
  return whenNotMaking(name, ground, async () => {
    const record = await readRecord(common, name);
    return isDeferred(record) && (isMaking(record, ground) ? "making" : true);
  });
}

/** Forgets a deferred worktree, which has nothing to save. Returns false if it is not one. */
export async function removeDeferred(tree: Worktree, ground: GitEnvironment): Promise<boolean> {
  const { name, checkout } = tree;
  const common = commonFolder(checkout);
  if (common === null || !isDeferred(await readRecord(common, name))) return false;
  return whenNotMaking(name, ground, () =>
    withLock(common, ground, async () => {
      const record = await readRecord(common, name);
      if (!isDeferred(record) || record.tree.path !== tree.path) return false;
      const repo = { git: gitIn(checkout, ground.env), common };
      if (!(await isUnmade(repo, record, ground))) return "making";
      // The record last: what it still names is found after a crash.
      await deleteRef(repo, baseRef(name));
      rmSync(treeRecordFolder(common, name), { recursive: true, force: true });
      removeEmptyFolders(checkout);
      return true;
    }),
  );
}

/** Undoes what a killed git worker has begun to make; false if another request makes it, or an orphaned git may still write. */
async function isUnmade(
  repo: Pick<Repository, "git" | "common">,
  record: Deferred,
  ground: GitEnvironment,
): Promise<boolean> {
  if (isMaking(record, ground) || !dropLocksOf(repo.common, record.tree.name, ground)) return false;
  if (!record.made) await discardWorktree(repo, record);
  return true;
}

function isDeferred(record: TreeRecord | null): record is Deferred {
  return record?.deferred !== undefined;
}

function isMaking({ made, maker }: TreeRecord, ground: GitEnvironment): boolean {
  return !made && ground.isAlive(maker);
}

/** Repeats a look as long as another request makes the worktree. */
export async function whenNotMaking<T>(
  name: string,
  ground: GitEnvironment,
  look: () => Promise<T | "making">,
): Promise<T> {
  const { signal } = ground;
  const until = ground.now() + MAKING_MS;
  for (let found = await look(); ; found = await look()) {
    if (found !== "making") return found;
    if (ground.now() >= until) refuseRequest(`The worktree ${name} is just being made; try again.`);
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}
