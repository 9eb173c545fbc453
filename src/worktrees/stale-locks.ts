import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./error-code.ts";
import { OUR_REFS } from "./layout.ts";

/** Git holds the lock of a ref for milliseconds. */
const STALE_MS = 60_000;

/**
 * Locks of refs of ours that a killed git has left: nothing could move or remove such a ref ever again. Others are not
 * looked at. Only for the holder of the repository's lock.
 */
export function dropStaleLocks(common: string, now: number): void {
  const branches = namesIn(join(common, "refs", "heads")).filter((name) => name.startsWith("worktree-"));
  const files = [
    ...branches.map((name) => join("refs", "heads", name)),
    ...below(common, OUR_REFS.slice(0, -1)),
  ];
  for (const file of files) {
    if (!file.endsWith(".lock")) continue;
    const found = lstatSync(join(common, file), { throwIfNoEntry: false });
    if (found?.isFile() && now - found.mtimeMs > STALE_MS) rmSync(join(common, file), { force: true });
  }
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
