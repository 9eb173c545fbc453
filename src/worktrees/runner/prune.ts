import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { listNames } from "../../lib/on-disk.ts";
import type { GitEnvironment } from "../environment.ts";

export interface RepositoryLimits {
  /** Of all clones; the ones used longest ago are removed first. */
  readonly maxBytes: number;
  readonly maxAgeDays: number;
}

export const REPOSITORY_LIMITS: RepositoryLimits = { maxBytes: 20 * 1024 ** 3, maxAgeDays: 14 };

/** A clone that was used this recently may be in use. */
const IN_USE_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const LOOK_EVERY_MS = 100;
/** Milliseconds that a look waits for a moment in which no session relies on a clone; a busy runner may have none. */
const WAIT_MS = 60_000;

/**
 * Removes clones that no worktree needs and that were not used for long, or are too much together. Returns their IDs. While
 * `areNamed` returns true, sessions may send what builds on any of them, so none is removed. One that cannot be removed keeps no
 * other: the first error is thrown at the end.
 */
export async function pruneRepositories(
  folder: string,
  { maxBytes, maxAgeDays }: RepositoryLimits,
  areNamed: () => boolean,
  ground: GitEnvironment,
): Promise<string[]> {
  await dropDead(folder, ground);
  const clones: { readonly path: string; readonly at: number; readonly bytes: number }[] = [];
  for (const name of listNames(folder).filter((one) => one.endsWith(".git"))) {
    const path = join(folder, name);
    dropUnfinished(path);
    clones.push({ path, at: usedAt(path), bytes: await sizeOf(path) });
  }
  let bytes = clones.reduce((sum, clone) => sum + clone.bytes, 0);
  const removed: string[] = [];
  const errors: unknown[] = [];
  for (const clone of clones.sort((one, other) => one.at - other.at)) {
    const until = ground.now() + WAIT_MS;
    while (areNamed() && ground.now() < until) await pause(LOOK_EVERY_MS);
    if (areNamed()) break;
    // It may have been used since then. Nothing is awaited until it has another name.
    const age = ground.now() - usedAt(clone.path);
    const isTooMuch = bytes > maxBytes || age > maxAgeDays * DAY_MS;
    if (!isTooMuch || age < IN_USE_MS) continue;
    try {
      if (hasBorrowers(clone.path)) continue;
      const gone = join(folder, `.new-${ground.self.pid}-${ground.id()}`);
      renameSync(clone.path, gone);
      await rm(gone, { recursive: true, force: true, maxRetries: 3 });
      bytes -= clone.bytes;
      removed.push(/([^/\\]+)\.git$/.exec(clone.path)?.[1] ?? clone.path);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return removed;
}

/** Milliseconds since 1970. A clone that another runner has removed is never old. */
function usedAt(clone: string): number {
  return statSync(join(clone, "HEAD"), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

/** Packs that a killed git was writing. */
function dropUnfinished(clone: string): void {
  const packs = join(clone, "objects", "pack");
  for (const name of listNames(packs)) {
    const file = join(packs, name);
    const at = name.startsWith("tmp_") ? (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
    if (at > 0 && Date.now() - at > DAY_MS) rmSync(file, { recursive: true, force: true });
  }
}

/** What dead processes were making or removing. */
async function dropDead(folder: string, { isAlive }: GitEnvironment): Promise<void> {
  for (const name of listNames(folder)) {
    const pid = Number(/^\.new-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive({ pid, startedAt: null }))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries)
    if (entry.isFile())
      bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  return bytes;
}

/** Notes that a repository reads the objects of a clone: a prune leaves the clone alone as long as that one exists. */
export function noteBorrower(clone: string, name: string, path: string): void {
  mkdirSync(folderOf(clone), { recursive: true });
  writeFileSync(join(folderOf(clone), name), path);
}

export function dropBorrower(clone: string, name: string): void {
  rmSync(join(folderOf(clone), name), { force: true });
}

/** Forgets those that no longer exist, such as after a reboot. */
export function hasBorrowers(clone: string): boolean {
  if (!existsSync(folderOf(clone))) return false;
  const names = readdirSync(folderOf(clone));
  const lives = names.filter((name) => existsSync(readFileSync(join(folderOf(clone), name), "utf8")));
  for (const name of names) if (!lives.includes(name)) dropBorrower(clone, name);
  return lives.length > 0;
}

function folderOf(clone: string): string {
  return join(clone, "borrowers");
}
