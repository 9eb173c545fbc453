import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import { type ProcessIdentity, parseIdentity, processIdentity } from "../../journal/process-identity.ts";
import { systemClock } from "../../lib/clock.ts";
import { unlessMissing } from "../../lib/on-disk.ts";
import { processGroup } from "../../processes/process-group.ts";
import type { GitEnvironment } from "../environment.ts";
import { refuseRequest } from "../refusal.ts";
import { readJsonFile } from "../tree-record.ts";

/** What is known of a worktree on a runner, next to it, where its agent does not write. */
const TreeState = z.object({
  repository: z.string(),
  commit: z.string(),
  /** Its name, which is new each time. */
  name: z.string(),
  /** The bare repository that it is a worktree of, which is its own. */
  common: z.string(),
  /** The clone whose objects that one reads. */
  clone: z.string(),
  /** False while it is made: then no agent has worked in it. */
  complete: z.boolean(),
  /** Of the agent that it was made for. */
  attempt: z.optional(z.number()),
  /** The process group that works in it. */
  owner: z.nullable(z.object({ pid: z.number(), startedAt: z.nullable(z.string()) })),
});
export type TreeState = z.infer<typeof TreeState>;

export function stateFolder(path: string): string {
  return join(dirname(path), `.${basename(path)}`);
}

/** Returns null if it cannot be read. */
export function readTreeState(path: string): TreeState | null {
  return readJsonFile(TreeState, join(stateFolder(path), "state.json"));
}

export function writeTreeState(path: string, state: TreeState): void {
  const file = join(stateFolder(path), "state.json");
  mkdirSync(stateFolder(path), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(state));
  renameSync(`${file}.${process.pid}`, file);
}

/** Notes one more user of a worktree, which is this process's as long as it lives; returns its name. */
export function addHolder(path: string, { self, id }: Pick<GitEnvironment, "self" | "id">): string {
  const name = `holder-${self.pid}-${id()}`;
  writeFileSync(join(stateFolder(path), name), JSON.stringify(self));
  return name;
}

/** Forgets one user. Returns false if it was forgotten before. */
export function dropHolder(path: string, name: string): boolean {
  if (!holders(path).includes(name)) return false;
  rmSync(join(stateFolder(path), name), { force: true });
  return true;
}

/** True if a process that lives uses the worktree. */
export function hasHolders(path: string, { isAlive }: Pick<GitEnvironment, "isAlive">): boolean {
  return holders(path).some((name) => {
    const holder = parseIdentity(
      unlessMissing(() => readFileSync(join(stateFolder(path), name), "utf8"), ""),
    );
    return holder !== null && isAlive(holder);
  });
}

/** Forgets all users: the worktree is made again. */
export function dropHolders(path: string): void {
  for (const name of holders(path)) rmSync(join(stateFolder(path), name), { force: true });
}

function holders(path: string): string[] {
  const names = unlessMissing(() => readdirSync(stateFolder(path)), []);
  return names.filter((name) => name.startsWith("holder-"));
}

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 10;

/**
 * Kills the process group that worked in a worktree, and resolves when no member of it runs: it would write into the next
 * one. The ID of a group is no other process's while a member lives, so a process with this pid and another start means
 * that the group is gone.
 */
export async function endOwner(path: string, owner: ProcessIdentity | null): Promise<void> {
  if (owner === null) return;
  const now = processIdentity(owner.pid);
  if (now.startedAt !== null && owner.startedAt !== null && now.startedAt !== owner.startedAt) return;
  const group = processGroup(owner.pid, systemClock);
  for (let waited = 0; group.running().length > 0; waited += LOOK_EVERY_MS) {
    if (waited >= PATIENCE_MS)
      refuseRequest(
        `The worktree ${path} cannot be used: processes of an earlier attempt (group ${owner.pid}) do not end.`,
      );
    group.kill();
    await pause(LOOK_EVERY_MS);
  }
}
