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
import { join } from "node:path";
import { removeDirectory } from "../../lib/on-disk.ts";
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

interface Clone {
  readonly path: string;
  readonly usedAt: number;
  readonly bytes: number;
}

/** Removes clones that no worktree needs and that were not used for long, or are too much together. Returns their IDs. */
export async function pruneRepositories(
  folder: string,
  { maxBytes, maxAgeDays }: RepositoryLimits,
  ground: GitEnvironment,
): Promise<string[]> {
  if (!existsSync(folder)) return [];
  dropDead(folder, ground);
  const clones = clonesIn(folder).sort((one, other) => one.usedAt - other.usedAt);
  let bytes = clones.reduce((sum, clone) => sum + clone.bytes, 0);
  const removed: string[] = [];
  for (const clone of clones) {
    const age = ground.now() - clone.usedAt;
    const isTooMuch = bytes > maxBytes || age > maxAgeDays * DAY_MS;
    if (!isTooMuch || age < IN_USE_MS || hasBorrowers(clone.path)) continue;
    const gone = join(folder, `.new-${ground.self.pid}-${ground.id()}`);
    renameSync(clone.path, gone);
    removeDirectory(gone);
    bytes -= clone.bytes;
    removed.push(/([^/\\]+)\.git$/.exec(clone.path)?.[1] ?? clone.path);
  }
  return removed;
}

function clonesIn(folder: string): Clone[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".git"));
  return names.map((name) => {
    const path = join(folder, name);
    dropUnfinished(path);
    return { path, usedAt: statSync(join(path, "HEAD")).mtimeMs, bytes: sizeOf(path) };
  });
}

/** Packs that a killed git was writing. */
function dropUnfinished(clone: string): void {
  const packs = join(clone, "objects", "pack");
  for (const name of readdirSync(packs)) {
    const file = join(packs, name);
    const at = name.startsWith("tmp_") ? (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) : 0;
    if (at > 0 && Date.now() - at > DAY_MS) removeDirectory(file);
  }
}

/** What dead processes were making or removing. */
function dropDead(folder: string, { isAlive }: GitEnvironment): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^\.new-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive({ pid, startedAt: null })) removeDirectory(join(folder, name));
  }
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      bytes += lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
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
