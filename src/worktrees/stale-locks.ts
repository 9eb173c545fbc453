import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockHolder } from "../journal/numbered-lock.ts";
import { errorCode } from "../lib/errors.ts";
import { dropPackedLocks } from "./delete-ref.ts";
import type { GitEnvironment } from "./environment.ts";
import { gcRuns } from "./gc-guard.ts";
import {
  baseRef,
  branchOf,
  ignoredRef,
  OUR_REFS,
  ourFolder,
  snapshotRef,
  treeRecordFolder,
} from "./layout.ts";
import { readRecord, recordedNames } from "./tree-record.ts";

/** Git holds the lock of a ref for milliseconds. */
const STALE_MS = 60_000;
/** For a worktree that no git worker uses: an orphaned git has ended by then. */
const ABANDONED_MS = 1_000;
/** Git holds the lock of all packed refs for as long as it takes to write a file; it may be any program's. */
const PACKED_STALE_MS = 600_000;

/**
 * Removes locks that a killed git left: nothing could move or remove such a ref again, and the lock of the packed refs
 * would also stop garbage collection. Call only with the repository's lock.
 */
export async function dropStaleLocks(common: string, ground: GitEnvironment): Promise<void> {
  await dropPackedLocks(common, ground);
  for (const name of await recordedNames(common))
    if (await isAbandoned(common, name, ground)) dropLocksOf(common, name, ground);
  dropOwn(common, ground.now() - STALE_MS);
  if (gcRuns(common, ground)) return;
  // Git writes the new file next to the lock, and does not start if one was left.
  for (const file of ["packed-refs.new", "packed-refs.lock"])
    dropOlder(join(common, file), ground.now() - PACKED_STALE_MS);
}

/** True if no git worker makes this worktree or has its lock. */
async function isAbandoned(common: string, name: string, ground: GitEnvironment): Promise<boolean> {
  if (lockHolder(ourFolder(treeRecordFolder(common, name)), ground.isAlive) !== null) return false;
  const record = await readRecord(common, name);
  return record !== null && (record.made || !ground.isAlive(record.maker));
}

/**
 * Removes the locks of a worktree that no other process uses. Returns false if one is so young that its git may still
 * run.
 */
export function dropLocksOf(common: string, name: string, ground: GitEnvironment): boolean {
  const refs = [`refs/heads/${branchOf(name)}`, baseRef(name), snapshotRef(name), ignoredRef(name)];
  const files = refs.map((ref) => join(common, `${ref}.lock`));
  for (const file of files) dropOlder(file, ground.now() - ABANDONED_MS);
  return files.every((file) => lstatSync(file, { throwIfNoEntry: false }) === undefined);
}

function dropOwn(common: string, before: number): void {
  const branches = namesIn(join(common, "refs", "heads")).filter((name) => name.startsWith("worktree-"));
  const files = [
    ...branches.map((name) => join("refs", "heads", name)),
    ...below(common, OUR_REFS.slice(0, -1)),
  ];
  for (const file of files) if (file.endsWith(".lock")) dropOlder(join(common, file), before);
}

function dropOlder(file: string, before: number): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() && found.mtimeMs < before) rmSync(file, { force: true });
}

function below(common: string, folder: string): string[] {
  return namesIn(join(common, folder), { recursive: true }).map((name) => join(folder, name));
}

function namesIn(folder: string, { recursive = false } = {}): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: "utf8" });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
