import { lstatSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

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
