import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../lib/on-disk.ts";
import { removeHalfMade } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { dropBrokenEntries, finishRemoval, removeEmptyFolders } from "./finish-removal.ts";
import { deleteRef, dropStaleLocks } from "./git-locks.ts";
import { type KnownTree, knownTrees, listedTrees } from "./known-trees.ts";
import { baseRef, ourFolder, treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";
import { rollBackUnfinished } from "./merge/roll-back.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { answered, refuseRequest } from "./refusal.ts";
import { removeUnderLock, unmergedPaths } from "./remove.ts";
import { repositoryAt } from "./repository.ts";
import { dropLeftovers } from "./side-index.ts";
import { isBeingRemoved, wasNeverWritten } from "./tree-record.ts";

type Swept = SuccessOf<"sweep">;

/** The outcome for one worktree; null if there was nothing to do. */
type Outcome = "removed" | null;
const REMOVED = () => "removed" as const;

/**
 * Removes only what dead owners left and is provably saved; unmerged edits stay in place. Rejects with the signal's reason
 * between two worktrees.
 */
export async function sweep({ folder, except }: GitRequest<"sweep">, ground: GitEnvironment): Promise<Swept> {
  const repo = await repositoryAt(folder, ground);
  return withLock(repo.common, ground, () => sweepUnderLock(repo, except, ground));
}

async function sweepUnderLock(
  repo: Repository,
  except: string | undefined,
  ground: GitEnvironment,
): Promise<Swept> {
  await dropStaleLocks(repo.common, ground);
  const { merges, notes } = await rollBackUnfinished(repo.common, ground);
  dropDeadFiles(repo.common, ground);
  await dropBrokenEntries(repo, ground);
  const removed = await removeHalfMade(repo, ground);
  const known = await knownTrees(repo);
  const listed = await listedTrees(repo);
  const paths = new Set(listed.map(({ path }) => path));
  const left = notes.map((why) => ({ name: merges.join(), why }));
  for (const tree of known) {
    if (except !== undefined && tree.record?.owner.session === except) continue;
    ground.signal?.throwIfAborted();
    const outcome = await answered(() => sweepOne(repo, tree, paths, ground));
    if (outcome === "removed") removed.push(tree.name);
    else if (outcome !== null) left.push({ name: tree.name, why: outcome.reason });
  }
  // For a worktree that was never created.
  removeEmptyFolders(repo.top);
  return { type: "swept", removed, left, rolledBack: [...merges] };
}

async function sweepOne(
  repo: Repository,
  known: KnownTree,
  listed: ReadonlySet<string>,
  ground: GitEnvironment,
): Promise<Outcome> {
  const { name, record, stands } = known;
  if (record === null) return sweepUnrecorded(repo, known, ground);
  if (ground.isAlive(record.owner.process) || !record.made) return null;
  if (isBeingRemoved(repo.common, name)) return finishRemoval(repo, record).then(REMOVED);
  if (!stands) return sweepRemoved(repo, known, listed);
  const edits = await unmergedPaths(repo, known, ground);
  if (edits.length > 0)
    refuseRequest(`${edits.length} changed ${edits.length === 1 ? "file is" : "files are"} in no checkout.`);
  return removeUnderLock(repo, record.tree, ground).then(REMOVED);
}

/** Its directory was deleted, or it was removed and only what is kept forever remains. */
async function sweepRemoved(
  repo: Repository,
  { name, record, snapshot, ignored }: KnownTree,
  listed: ReadonlySet<string>,
): Promise<Outcome> {
  if (record === null) return null;
  dropLeftovers(repo.common, name);
  if (!listed.has(record.tree.path) && (snapshot !== null || ignored !== null)) return null;
  return finishRemoval(repo, record).then(REMOVED);
}

/** Handles a record directory without a readable record, and a base without snapshots. */
async function sweepUnrecorded(
  repo: Repository,
  { name, snapshot, ignored, base }: KnownTree,
  ground: GitEnvironment,
): Promise<Outcome> {
  const folder = treeRecordFolder(repo.common, name);
  // Its maker died before any of the worktree existed.
  const neverBegun =
    base === null &&
    snapshot === null &&
    ignored === null &&
    (await wasNeverWritten(repo.common, name, ground));
  if (!neverBegun && lstatSync(folder, { throwIfNoEntry: false }) !== undefined)
    refuseRequest(`${folder} has no record that can be read, so nothing is known of it.`);
  if (snapshot !== null || ignored !== null || (base === null && !neverBegun)) return null;
  const { out } = await repo.git.run(["for-each-ref", "--format=%(refname)", `refs/heads/worktree-${name}`]);
  if (out.trim() !== "") return null;
  if (base !== null) await deleteRef(repo, baseRef(name), base);
  rmSync(folder, { recursive: true, force: true });
  return "removed";
}

/** Temporary index files and repositories, named after the process that made them. */
const INDEX = /^(?:checkout|merge|travel)-(\d+)-[\w-]+(?:\.lock)?$/;
/** A new version of a worktree's record, before it replaces the old one. */
const RECORD = /^owner\.json\.(\d+)$/;

/** Removes files that dead git workers were writing. Call only with the repository's lock. */
function dropDeadFiles(common: string, ground: GitEnvironment): void {
  const trees = join(ourFolder(common), "trees");
  dropIn(ourFolder(common), INDEX, ground);
  for (const name of namesIn(trees)) dropIn(join(trees, name), RECORD, ground);
}

function dropIn(folder: string, named: RegExp, ground: GitEnvironment): void {
  for (const name of namesIn(folder)) {
    const pid = Number(named.exec(name)?.[1] ?? 0);
    if (pid > 0 && !ground.isAlive({ pid, startedAt: null }))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  return unlessMissing(() => readdirSync(folder), []);
}
