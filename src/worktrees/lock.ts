import { mkdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { takeLock } from "../journal/numbered-lock.ts";
import type { ProcessIdentity } from "../journal/process-identity.ts";
import { inTurn } from "../lib/queues.ts";
import type { GitEnvironment } from "./environment.ts";
import { ourFolder, treeRecordFolder } from "./layout.ts";
import { refuseRequest } from "./refusal.ts";

const LOOK_EVERY_MS = 10;
const WAIT_MS = 60_000;
/** N times as long a caller waits for a process that takes the lock repeatedly: the git worker of a killed session ends its work first. */
const LONGEST = 10;

export interface LockOptions {
  /** Milliseconds to wait for one holder. */
  readonly waitMs?: number;
  /** While waiting: rejects with its reason. By default the one of the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` with the lock, which has one holder at a time per repository, over all processes. Not re-entrant: `work` must not take it again. Also excludes callers in the same process.
 */
export async function withLock<T>(
  common: string,
  ground: GitEnvironment,
  work: () => Promise<T>,
  { waitMs = WAIT_MS, signal = ground.signal }: LockOptions = {},
): Promise<T> {
  const folder = ourFolder(common);
  // Before anything is awaited: callers get their turns in the order of their calls.
  mkdirSync(folder, { recursive: true });
  const calledAt = ground.now();
  const alone = async () => {
    signal?.throwIfAborted();
    let until = Math.max(calledAt + waitMs, ground.now() + waitMs / 10);
    const longest = calledAt + LONGEST * waitMs;
    const take = () => takeLock(folder, ground.self, ground.isAlive);
    let lock = take();
    let held = "";
    while (lock.type !== "taken") {
      // Each holder has its own file: work goes on, and the turn of this one comes.
      if (lock.type === "held" && held !== "" && lock.file !== held)
        until = Math.min(longest, ground.now() + waitMs);
      if (lock.type === "held") held = lock.file;
      if (ground.now() >= until)
        refuseRequest(heldTooLong(common, lock.type === "held" ? lock.by : null, waitMs));
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal?.throwIfAborted());
      lock = take();
    }
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      lock.release();
    }
  };
  // Of a hundred callers in this process one looks for the lock; the others wait for their turn, and are not too late for it.
  return ground.turns === undefined ? alone() : inTurn(ground.turns, folder, alone, signal);
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

function heldTooLong(common: string, by: ProcessIdentity | null, waitMs: number): string {
  const who = by === null ? "other processes" : `another process (pid ${by.pid})`;
  return `The worktrees of ${common} were held by ${who} for ${Math.round(waitMs / 1_000)} s; try again, or end that process.`;
}
