import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { GitEnvironment } from "./environment.ts";
import type { Git } from "./git.ts";

const PAUSE_MS = 20;
const PATIENCE_MS = 1_000;
/** Beyond this number git is asked for all of them together. */
const FEW = 200;

/**
 * Returns whether every object of a commit beyond `before` exists now that a ref holds it. A `git gc --prune=now` drops
 * objects that no ref held yet, and one that started before may do so a moment later, so a running one is awaited for a
 * short time.
 */
export async function hasAllObjects(
  run: Git["run"],
  common: string,
  commit: string,
  before: string,
  objects: readonly string[],
  ground: GitEnvironment,
): Promise<boolean> {
  const waited = await gcHasEnded(common, ground);
  if (!waited && objects.length <= FEW && [commit, ...objects].every((id) => isLoose(common, id)))
    return true;
  return isConnected(run, commit, before);
}

/** Returns whether git can read everything that the commit reaches and `before` does not. */
export async function isConnected(run: Git["run"], commit: string, before: string): Promise<boolean> {
  if (commit === before) return true;
  const { code } = await run(["rev-list", "--objects", "--quiet", commit, "--not", before]);
  return code === 0;
}

function isLoose(common: string, id: string): boolean {
  return existsSync(join(common, "objects", id.slice(0, 2), id.slice(2)));
}

/** Waits a short time for a running `git gc`; returns whether there was one. */
export async function gcHasEnded(common: string, ground: GitEnvironment): Promise<boolean> {
  let waited = 0;
  for (; waited < PATIENCE_MS && gcRuns(common, ground); waited += PAUSE_MS) await pause(PAUSE_MS);
  return waited > 0;
}

export function gcRuns(common: string, ground: GitEnvironment): boolean {
  try {
    const pid = Number.parseInt(readFileSync(join(common, "gc.pid"), "utf8"), 10);
    return pid > 0 && ground.isAlive({ pid, startedAt: null });
  } catch {
    // None is running.
    return false;
  }
}
