import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode, hasNoLinks } from "../lib/errors.ts";
import { unlessMissing } from "../lib/on-disk.ts";
import { isAlive, type ProcessIdentity, parseIdentity } from "./process-identity.ts";

export type NumberedLock =
  /** `before`: the holder that died with the lock. `release` is idempotent; a killed process leaves a stale lock. */
  | { readonly type: "taken"; readonly before: ProcessIdentity | null; release(): void }
  | { readonly type: "held"; readonly by: ProcessIdentity; readonly file: string }
  /** Other processes take it again and again. */
  | { readonly type: "contended" };

const NAME = /^lock\.(\d{1,15})$/;
/** Processes that compete for the lock win once each; more failures than this have another cause. */
const TRIES = 100;

/**
 * Takes the lock of a directory, which has one holder at a time over all processes, also within this one. The lock is a
 * file `lock.N` that names the process; the one with the highest N counts. A process that finds it empty (released), or
 * its holder dead, links the next number, which only one of many can. The highest is never removed, so a number never
 * gets another holder. Does not wait for the disk. Throws the system's error.
 */
export function takeLock(dir: string, me: ProcessIdentity, isHolding = isAlive): NumberedLock {
  let mine: string | null = null;
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const latest = latestLock(dir);
      const holder = holderOf(dir, latest);
      if (holder !== null && isHolding(holder))
        return { type: "held", by: holder, file: lockFile(dir, latest) };
      mine ??= writeOwn(dir, me);
      const next = lockFile(dir, latest + 1);
      if (!link(mine, next)) continue;
      if (latestLock(dir) === latest + 1) {
        for (const number of lockNumbers(dir))
          if (number <= latest) rmSync(lockFile(dir, number), { force: true });
        return { type: "taken", before: holder, release: releaseOf(dir, latest + 1) };
      }
      // Others have moved on since the first look: that number is in the past.
      rmSync(next, { force: true });
    }
    return { type: "contended" };
  } finally {
    if (mine !== null) rmSync(mine, { force: true });
  }
}

/** Returns the process that holds the lock, or null. Takes nothing. */
export function lockHolder(dir: string, isHolding = isAlive): ProcessIdentity | null {
  const holder = holderOf(dir, latestLock(dir));
  return holder !== null && isHolding(holder) ? holder : null;
}

/** Emptied, or replaced by the next number, not removed: the highest number stays. */
function releaseOf(dir: string, number: number): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    try {
      const file = lockFile(dir, number);
      if (lstatSync(file).isSymbolicLink()) linkToText("free", lockFile(dir, number + 1));
      else truncateSync(file, 0);
    } catch {
      // Its directory or disk is gone: then it becomes stale when this process ends.
    }
  };
}

/** Returns 0 if there is no lock. */
function latestLock(dir: string): number {
  return Math.max(0, ...lockNumbers(dir));
}

function lockNumbers(dir: string): number[] {
  const numbers = unlessMissing(() => readdirSync(dir), []).map((name) => NAME.exec(name)?.[1]);
  return numbers.filter((number) => number !== undefined).map(Number);
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;

/** Returns null if it names no process: released, or left by a power failure. */
function holderOf(dir: string, number: number): ProcessIdentity | null {
  const file = lockFile(dir, number);
  try {
    return parseIdentity(readFileSync(file, { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW | O_NONBLOCK }));
  } catch (error) {
    if (errorCode(error) === "ELOOP") return parseIdentity(readlinkSync(file));
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Writes the whole file before it gets the lock's name: no process ever reads half of one. */
function writeOwn(dir: string, { pid, startedAt }: ProcessIdentity): string {
  for (let number = 1; ; number += 1) {
    const path = join(dir, `lock-of-${pid}-${number}`);
    const fd = createOrNull(path);
    // Left by an earlier process with this pid, or by another thread of this one.
    if (fd === null) continue;
    try {
      writeSync(fd, JSON.stringify({ pid, startedAt }));
      return path;
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
  }
}

function createOrNull(path: string): number | null {
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return null;
    throw error;
  }
}

/** Returns false if another process was quicker. A disk without hard links gets a symbolic link to the text. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!hasNoLinks(error)) throw error;
  }
  return linkToText(readFileSync(from, "utf8"), to);
}

function linkToText(text: string, to: string): boolean {
  try {
    symlinkSync(text, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function lockFile(dir: string, number: number): string {
  return join(dir, `lock.${number}`);
}
