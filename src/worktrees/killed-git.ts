import { lstatSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** A git that is still alive has written its file by then. */
const WRITTEN_MS = 2_000;

/**
 * Removes the locks that were made from `since` until `until` (by the files' own clock), when a git of ours was at work that
 * was killed. One that changes while it is looked at is another program's.
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

/** 0 if it is not there. */
function changedAt(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
