import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../lib/errors.ts";
import type { GitEnvironment } from "./environment.ts";
import { ourFolder } from "./layout.ts";

/** Temporary index files, named after the process that made them. */
const INDEX = /^(?:checkout|merge)-(\d+)-\w+(?:\.lock)?$/;
/** A new version of a worktree's record, before it replaces the old one. */
const RECORD = /^owner\.json\.(\d+)$/;

/** Removes files that dead git workers were writing. Call only with the repository's lock. */
export function dropDeadFiles(common: string, ground: GitEnvironment): void {
  const trees = join(ourFolder(common), "trees");
  dropIn(ourFolder(common), INDEX, ground);
  for (const name of namesIn(trees)) dropIn(join(trees, name), RECORD, ground);
}

function dropIn(folder: string, named: RegExp, ground: GitEnvironment): void {
  for (const name of namesIn(folder)) {
    const pid = Number(named.exec(name)?.[1] ?? 0);
    if (pid > 0 && !ground.isAlive({ pid, startedAt: null })) rmSync(join(folder, name), { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
