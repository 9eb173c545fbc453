import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./error-code.ts";
import { gcRuns } from "./gc-guard.ts";
import type { Ground } from "./ground.ts";
import { OUR_REFS } from "./layout.ts";

/** Git holds the lock of a ref for milliseconds. */
const STALE_MS = 60_000;
/** The one of all packed refs for as long as it takes to write a file; it may be anybody's. */
const PACKED_STALE_MS = 600_000;

/**
 * Locks that a killed git of ours has left: nothing could move or remove such a ref ever again, and without the one of
 * packed refs nobody could remove any, nor collect garbage. Only for the holder of the repository's lock.
 */
export function dropStaleLocks(common: string, ground: Ground): void {
  dropOwn(common, ground.now() - STALE_MS);
  if (gcRuns(common, ground)) return;
  // What is written under it stands beside it, and git begins none where one was left.
  for (const file of ["packed-refs.new", "packed-refs.lock"])
    dropOlder(join(common, file), ground.now() - PACKED_STALE_MS);
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
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
