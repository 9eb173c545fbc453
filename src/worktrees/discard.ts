import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { removeDirectory } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { dropBrokenEntry, removeEmptyFolders } from "./finish-removal.ts";
import { idsOf } from "./git.ts";
import { deleteRef } from "./git-locks.ts";
import { baseRef, ignoredRef, snapshotRef, treePath, treeRecordFolder } from "./layout.ts";
import { readRecord, recordedNames, type TreeRecord, writeRecord } from "./tree-record.ts";
import { hasOwnTreesFolder } from "./trees-folder.ts";
import { commonFolder } from "./worktree-location.ts";

const TRIES = 5;
const PAUSE_MS = 50;

/**
 * Discards a worktree that was never handed out: no agent has worked in it, so there is nothing to save. Call only with
 * the lock, for a record that is not `made`. Keeps what an earlier worktree of this name left. A deferred one stays
 * deferred: its agent may have worked elsewhere.
 */
export async function discardWorktree(
  repo: Pick<Repository, "git" | "common">,
  record: TreeRecord,
): Promise<void> {
  const { tree } = record;
  dropBrokenEntry(repo.common, tree.name);
  // A git that was cut off may still write its last file.
  for (let tries = 0; tries < TRIES; tries += 1) {
    await repo.git.run(["worktree", "remove", "--force", "--force", tree.path]);
    if (!existsSync(tree.path)) break;
    if (!isOurs(repo, tree)) break;
    try {
      removeDirectory(tree.path);
    } catch {
      // The next try does, or a sweep.
    }
    if (tries > 0) await pause(PAUSE_MS);
  }
  const [base, snapshot, ignored] = [baseRef(tree.name), snapshotRef(tree.name), ignoredRef(tree.name)];
  const refs = await idsOf(repo.git.run, [base, snapshot, ignored]);
  // Its branch was moving from one to the other; at any other commit it is not Troupe's.
  for (const tip of new Set([tree.base, refs.get(base) ?? tree.base]))
    await deleteRef(repo, `refs/heads/${tree.branch}`, tip);
  if (record.deferred !== undefined) return writeRecord(repo.common, tree.name, { ...record, made: true });
  if (refs.has(snapshot) || refs.has(ignored))
    return writeRecord(repo.common, tree.name, { ...record, made: true, result: "empty" });
  await deleteRef(repo, base);
  removeEmptyFolders(tree.checkout);
  // Last, because the record is how another process finds the rest.
  await rm(treeRecordFolder(repo.common, tree.name), { recursive: true, force: true });
}

/**
 * A record may have been copied or moved with its repository, or be forged: remove without git only what lies where
 * this repository's worktrees lie.
 */
function isOurs({ common }: Pick<Repository, "common">, { name, path, checkout }: Worktree): boolean {
  return (
    path === treePath(checkout, name) && commonFolder(checkout) === common && hasOwnTreesFolder(checkout)
  );
}

/** Discards what dead processes left half made; returns the names. Call only with the lock. */
export async function removeHalfMade(repo: Repository, ground: GitEnvironment): Promise<string[]> {
  const names: string[] = [];
  for (const name of await recordedNames(repo.common)) {
    const record = await readRecord(repo.common, name);
    if (record === null || record.made || ground.isAlive(record.maker)) continue;
    await discardWorktree(repo, record);
    if (record.deferred === undefined) names.push(name);
  }
  return names;
}
