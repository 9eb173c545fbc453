import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../lib/errors.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { isBeingRemoved } from "./removal-mark.ts";
import { readRecord } from "./tree-record.ts";

/**
 * What git that was killed in the middle of `worktree add` has left in `.git/worktrees`: no git can list, add or remove any
 * worktree while it is there. Only for the holder of the repository's lock, and only of trees of ours that nobody makes.
 */
export async function dropBrokenEntries({ common }: Repository, ground: GitEnvironment): Promise<void> {
  for (const name of namesIn(join(common, "worktrees"))) {
    const record = await readRecord(common, name);
    if (record === null) continue;
    const isDead = !record.made && !ground.isAlive(record.maker);
    if (isDead || isBeingRemoved(common, name)) dropBrokenEntry(common, name);
  }
}

/** Of one tree; what is whole stays for git to remove. */
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
