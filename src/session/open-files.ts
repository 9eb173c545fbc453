import { readFileSync } from "node:fs";

/** Below this not even one agent can run: a session has about 40 files open, and one for each of the rest it reads. */
const LEAST = 64;
/** What a session has open in addition to its agents' threads, and each of those. */
const OWN = 44;
const PER_THREAD = 5;

/**
 * How many agents' threads this process has descriptors for, at most `wanted`: agents beyond that wait for a thread.
 * Throws if there are too few for a session.
 */
export function threadsWithin(wanted: number, limit = readOpenFilesLimit()): number {
  if (limit === null) return wanted;
  if (limit < LEAST)
    throw new Error(
      `A session needs at least ${LEAST} open files, and this process may have only ${limit}. Raise the limit (ulimit -n 1024) and start it again.`,
    );
  return Math.min(wanted, Math.max(1, Math.floor((limit - OWN) / PER_THREAD)));
}

/** How many files this process may have open at a time; null if the system does not say it here. */
function readOpenFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
