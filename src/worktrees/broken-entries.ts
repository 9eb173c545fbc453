import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../lib/errors.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { isBeingRemoved } from "./removal-mark.ts";
import { readRecord } from "./tree-record.ts";

/**
 * Removes what a git killed during `worktree add` left in `.git/worktrees`: it stops git from listing, adding or
 * removing any worktree. Call only with the repository's lock; removes only Troupe's worktrees that no process is
 * making.
 */
export async function dropBrokenEntries({ common }: Repository, ground: GitEnvironment): Promise<void> {
  for (const name of namesIn(join(common, "worktrees"))) {
    const record = await readRecord(common, name);
    if (record === null) continue;
    const isDead = !record.made && !ground.isAlive(record.maker);
    if (isDead || isBeingRemoved(common, name)) dropBrokenEntry(common, name);
  }
}

/** Removes the broken entry of one worktree; leaves an intact entry for git to remove. */
export function dropBrokenEntry(common: string, name: string): void {
  const entry = join(common, "worktrees", name);
  const isWhole = ["gitdir", "HEAD", "commondir"].every((file) => textOf(join(entry, file)).endsWith("\n"));
  if (!isWhole) rmSync(entry, { recursive: true, force: true });
}

function namesIn(folder: string): string[] {
  return orNothing(() => readdirSync(folder), []);
}

function textOf(file: string): string {
  return orNothing(() => readFileSync(file, "utf8"), "");
}

function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return nothing;
    throw error;
  }
}
