import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lockHolder } from "../journal/numbered-lock.ts";
import { parseIdentity, processIdentity } from "../journal/process-identity.ts";
import { unlessMissing } from "../lib/on-disk.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { gcRuns } from "./gc-guard.ts";
import { GIT_KILLED, type GitAnswer } from "./git.ts";
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

/** A symbolic link that names the deleting process, like a lock: it is made wholly or not at all. */
const NOTE = /^deleting-/;
/** Git waits a second for the lock, then needs milliseconds. */
const DELETION_MS = 5_000;

/**
 * Deletes a ref, if given only while it points to `tip`. Git locks the packed refs for this, and a killed git leaves
 * the lock, so the user could not delete or pack any ref. A note tells such a lock from another program's.
 */
export async function deleteRef(
  { git, common }: Pick<Repository, "git" | "common">,
  ref: string,
  tip?: string,
): Promise<GitAnswer> {
  mkdirSync(ourFolder(common), { recursive: true });
  const note = join(ourFolder(common), `deleting-${process.pid}-${ref.replaceAll("/", "-")}`);
  rmSync(note, { force: true });
  symlinkSync(JSON.stringify(processIdentity(process.pid)), note);
  const run = () => git.run(["update-ref", "-d", ref, ...(tip === undefined ? [] : [tip])]);
  try {
    const answer = await run();
    if (answer.err !== GIT_KILLED) return answer;
    await dropPackedLock(common, note);
    return await run();
  } finally {
    rmSync(note, { force: true });
  }
}

/** Removes the locks of processes that died while they deleted refs. Call only with the repository's lock. */
export async function dropPackedLocks(common: string, ground: GitEnvironment): Promise<void> {
  for (const name of readdirSync(ourFolder(common)).filter((one) => NOTE.test(one))) {
    const note = join(ourFolder(common), name);
    const deleter = parseIdentity(readlinkSync(note));
    if (deleter !== null && ground.isAlive(deleter)) continue;
    if (!gcRuns(common, ground)) await dropPackedLock(common, note);
    rmSync(note, { force: true });
  }
}

/** Git writes the new file next to the lock, and does not start if one was left. */
async function dropPackedLock(common: string, note: string): Promise<void> {
  const files = ["packed-refs.new", "packed-refs.lock"].map((name) => join(common, name));
  const since = lstatSync(note).mtimeMs;
  await dropLocksOfKilled(files, since, since + DELETION_MS);
}

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
  return unlessMissing(() => readdirSync(folder, { recursive, encoding: "utf8" }), []);
}

/** After this time a git that is still alive has written its file. */
const WRITTEN_MS = 2_000;

/**
 * Removes locks made from `since` until `until` (by the files' own clock) by a git of Troupe's that was killed. A lock
 * that changes during the check is another program's.
 */
export async function dropLocksOfKilled(
  files: readonly string[],
  since: number,
  until: number,
): Promise<void> {
  const found = files
    .map((file) => ({ file, at: changedAt(file) }))
    .filter(({ at }) => at >= since && at <= until);
  if (found.length === 0) return;
  await pause(WRITTEN_MS);
  for (const { file, at } of found) if (changedAt(file) === at) rmSync(file, { force: true });
}

/** Returns 0 if the file does not exist. */
function changedAt(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
