import { mkdir, readdir, readlink, rm, symlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import type { ProcessIdentity } from "../journal/process-identity.ts";
import { errorCode } from "../lib/errors.ts";
import type { GitEnvironment } from "./environment.ts";
import { lockFile } from "./layout.ts";
import { refuse } from "./refusal.ts";

/**
 * One at a time in a repository, over all processes. The lock is a symbolic link `lock.N` whose target is who holds it:
 * made whole or not at all. The one with the highest N counts. Who finds it free, or its process dead, makes the next
 * number, which one of many can; the highest is never removed, so a number that was once judged cannot come to mean
 * another holder.
 */

const FREE = "free";
const LOOK_EVERY_MS = 10;
const WAIT_MS = 60_000;
const Holder = z.object({ pid: z.number(), startedAt: z.nullable(z.string()) });

export interface LockOptions {
  /** Milliseconds that others may hold it. */
  readonly waitMs?: number;
  /** While it is waited for: rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Not re-entrant: `work` must not ask for it again. Also excludes others of the same process. */
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
    if (ground.now() >= until) refuse(heldTooLong(common, taken, waitMs));
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

/** Who holds it now; looks only. */
export async function lockHolder(common: string, ground: GitEnvironment): Promise<ProcessIdentity | null> {
  const lock = lockFile(common);
  const holder = await holderOf(lock, await latest(lock));
  return holder !== null && ground.isAlive(holder) ? holder : null;
}

/** The number that is ours now, or who has it; null: others are just taking it. */
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
  // Others have gone on since the first look: that number is of the past.
  await rm(`${lock}.${mine}`, { force: true });
  return null;
}

/** The next number is nobody's; only then does ours go. */
async function release(lock: string, mine: number): Promise<void> {
  await make(lock, mine + 1, FREE);
  await removeUpTo(lock, mine);
}

/** False where somebody was quicker. */
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

/** Null where nobody is named. */
async function holderOf(lock: string, number: number): Promise<ProcessIdentity | null> {
  try {
    const target = await readlink(`${lock}.${number}`);
    if (target === FREE) return null;
    const holder = z.safeParse(Holder, JSON.parse(target));
    return holder.success ? holder.data : null;
  } catch (error) {
    // Tidied up since it was listed, or not of our making.
    if (error instanceof SyntaxError || ["ENOENT", "EINVAL"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}

/** Only by the holder, and never the highest. */
async function removeUpTo(lock: string, last: number): Promise<void> {
  const past = (await numbers(lock)).filter((number) => number <= last);
  await Promise.all(past.map((number) => rm(`${lock}.${number}`, { force: true })));
}

function heldTooLong(common: string, by: ProcessIdentity | null, waitMs: number): string {
  const who = by === null ? "other processes" : `another process (pid ${by.pid})`;
  return `The worktrees of ${common} were held by ${who} for ${Math.round(waitMs / 1_000)} s; try again, or end that process.`;
}
