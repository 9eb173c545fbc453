import { mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import type { ProcessIdentity } from "../journal/process-identity.ts";
import { errorCode } from "../lib/errors.ts";
import type { GitEnvironment } from "./environment.ts";
import { lockFile, treeRecordFolder } from "./layout.ts";
import { refuseRequest } from "./refusal.ts";

/**
 * One holder at a time per repository, over all processes. The lock is a symbolic link `lock.N` to the name of its
 * holder, so it is made wholly or not at all. The highest N counts. A process that finds it free, or its holder dead,
 * makes the next number, which only one of many can; the highest is never removed, so a number never gets another
 * holder.
 */

const FREE = "free";
const LOOK_EVERY_MS = 10;
const WAIT_MS = 60_000;
export const LockHolder = z.object({ pid: z.number(), startedAt: z.nullable(z.string()) });

export interface LockOptions {
  /** Milliseconds to wait for another holder. */
  readonly waitMs?: number;
  /** While waiting: rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with the lock. Not re-entrant: `work` must not take it again. Also excludes callers in the same process.
 */
export async function withLock<T>(
  common: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
  { waitMs = WAIT_MS, signal }: LockOptions = {},
): Promise<T> {
  const lock = lockFile(common);
  await mkdir(dirname(lock), { recursive: true });
  const until = ground.now() + waitMs;
  let taken = await take(lock, ground);
  while (typeof taken !== "number") {
    if (ground.now() >= until) refuseRequest(heldTooLong(common, taken, waitMs));
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
    taken = await take(lock, ground);
  }
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    await release(lock, taken);
  }
}

/**
 * One operation at a time per worktree, over all processes; other worktrees are not blocked. Take the repository's lock
 * first if both are needed.
 */
export function withTreeLock<T>(
  common: string,
  name: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  return withLock(treeRecordFolder(common, name), ground, work);
}

/** Returns the current holder; takes nothing. */
export async function findLockHolder(
  common: string,
  ground: GitEnvironment,
): Promise<ProcessIdentity | null> {
  const lock = lockFile(common);
  const holder = await holderOf(lock, await latest(lock));
  return holder !== null && ground.isAlive(holder) ? holder : null;
}

/** Returns the number taken, or the holder; null if another process is just taking it. */
async function take(lock: string, ground: GitEnvironment): Promise<number | ProcessIdentity | null> {
  const found = await latest(lock);
  const holder = await holderOf(lock, found);
  if (holder !== null && ground.isAlive(holder)) return holder;
  const mine = found + 1;
  if (!(await make(lock, mine, JSON.stringify(ground.self)))) return null;
  if ((await latest(lock)) === mine) {
    await removeUpTo(lock, found);
    return mine;
  }
  // Others have moved on since the first look, so that number is in the past.
  await rm(`${lock}.${mine}`, { force: true });
  return null;
}

/** The next number has no holder; remove ours only after it exists. */
async function release(lock: string, mine: number): Promise<void> {
  await make(lock, mine + 1, FREE);
  await removeUpTo(lock, mine);
}

/** Returns false if another process was quicker. */
async function make(lock: string, number: number, target: string): Promise<boolean> {
  try {
    await symlink(target, `${lock}.${number}`);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

async function latest(lock: string): Promise<number> {
  return Math.max(0, ...(await numbers(lock)));
}

async function numbers(lock: string): Promise<number[]> {
  const start = `${basename(lock)}.`;
  const names = await readdir(dirname(lock)).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => name.startsWith(start))
    .map((name) => Number(name.slice(start.length)))
    .filter(Number.isSafeInteger);
}

/** Returns null if the lock names no process. */
async function holderOf(lock: string, number: number): Promise<ProcessIdentity | null> {
  try {
    const target = await readlink(`${lock}.${number}`);
    if (target === FREE) return null;
    const holder = z.safeParse(LockHolder, JSON.parse(target));
    return holder.success ? holder.data : null;
  } catch (error) {
    // Removed since it was listed, or not made by Troupe.
    if (error instanceof SyntaxError || ["ENOENT", "EINVAL"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}

/** Only for the holder; never removes the highest. */
async function removeUpTo(lock: string, last: number): Promise<void> {
  const past = (await numbers(lock)).filter((number) => number <= last);
  await Promise.all(past.map((number) => rm(`${lock}.${number}`, { force: true })));
}

function heldTooLong(common: string, by: ProcessIdentity | null, waitMs: number): string {
  const who = by === null ? "other processes" : `another process (pid ${by.pid})`;
  return `The worktrees of ${common} were held by ${who} for ${Math.round(waitMs / 1_000)} s; try again, or end that process.`;
}
