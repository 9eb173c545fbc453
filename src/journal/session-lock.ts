import {
  closeSync,
  constants,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { errorCode } from "../lib/errors.ts";
import { JournalError, writeSentence } from "./journal-error.ts";
import type { SessionPlace } from "./paths.ts";
import { makePrivateFolders } from "./private-files.ts";
import { isAlive, type ProcessIdentity } from "./process-identity.ts";

/**
 * One process per session (fault 46). The lock is a file `lock.N` in the session's directory that names the process;
 * the one with the highest N counts. A process that finds it empty (released), or its owner dead, links the next
 * number, which only one of many can. The highest is never removed, so a number never gets another owner: of two
 * processes that find the same stale lock exactly one gets it.
 */
export type SessionLock =
  | {
      readonly type: "locked";
      /** Releases the lock. Idempotent; a killed process leaves a stale lock. */
      release(): void;
      /** Names the previous owner of a stale lock that was taken over, in a sentence. */
      readonly note?: string;
    }
  | { readonly type: "held"; readonly by: ProcessIdentity; readonly reason: string };

const Owner = z.object({ pid: z.int().check(z.positive()), startedAt: z.nullable(z.string()) });

const NAME = /^lock\.(\d{1,15})$/;
/** Processes that compete for the lock win once each; more failures than this have another cause. */
const TRIES = 100;

/**
 * Locks a new or existing session for a process; makes its directory. Does not wait for the disk. Throws a
 * `JournalError` if the directory cannot be written.
 */
export function lockSession(place: SessionPlace, me: ProcessIdentity): SessionLock {
  try {
    makePrivateFolders(place.home, place.folder, "none");
    return take(place.folder, me);
  } catch (error) {
    throw new JournalError(writeSentence(place.folder, error), place.folder, "unwritable", error);
  }
}

/** Returns the process that has the session open, or null. Takes nothing. */
export function sessionLockHolder(folder: string): ProcessIdentity | null {
  const latest = latestLock(folder);
  const owner = latest === 0 ? null : ownerOf(folder, latest);
  return owner !== null && isAlive(owner) ? owner : null;
}

function take(folder: string, me: ProcessIdentity): SessionLock {
  const mine = writeOwn(folder, me);
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const latest = latestLock(folder);
      const owner = latest === 0 ? null : ownerOf(folder, latest);
      if (owner !== null && isAlive(owner)) return heldBy(folder, latest, owner);
      const next = lockFile(folder, latest + 1);
      if (!link(mine, next)) continue;
      if (latestLock(folder) === latest + 1) {
        removeUpTo(folder, latest);
        return { type: "locked", release: releaseOf(next), ...noteOn(owner) };
      }
      // Others have moved on since the first look: that number is in the past.
      rmSync(next, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw new JournalError(
    `The session in ${folder} could not be locked because others lock it again and again; try again.`,
    folder,
  );
}

function heldBy(folder: string, number: number, by: ProcessIdentity): SessionLock {
  const since = sinceWhen(lockFile(folder, number));
  const reason = `The session is open in another process (pid ${by.pid})${since}; end it there, or resume a copy of the session. If that process is no Troupe, remove ${lockFile(folder, number)}.`;
  return { type: "held", by, reason };
}

function sinceWhen(path: string): string {
  try {
    return ` since ${statSync(path).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  } catch {
    // Just released.
    return "";
  }
}

function noteOn(owner: ProcessIdentity | null): { note?: string } {
  if (owner === null) return {};
  return { note: `The session was last open in a process (pid ${owner.pid}) that ended without closing it.` };
}

/** Emptied, not removed: the highest number stays. */
function releaseOf(path: string): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    try {
      truncateSync(path, 0);
    } catch {
      // Its directory or disk is gone: then it becomes stale when this process ends.
    }
  };
}

/** Returns 0 if there is no lock. */
function latestLock(folder: string): number {
  return Math.max(0, ...lockNumbers(folder));
}

function lockNumbers(folder: string): number[] {
  return namesIn(folder).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Returns null if it names no process: released, or left by a power failure. */
function ownerOf(folder: string, number: number): ProcessIdentity | null {
  try {
    const text = readFileSync(lockFile(folder, number), { encoding: "utf8", flag: READ });
    const owner = z.safeParse(Owner, JSON.parse(text));
    return owner.success ? owner.data : null;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Writes the whole file before it gets the lock's name: no process ever reads half of one. */
function writeOwn(folder: string, { pid, startedAt }: ProcessIdentity): string {
  const text = JSON.stringify({ pid, startedAt });
  for (let number = 1; ; number += 1) {
    const path = join(folder, `lock-of-${pid}-${number}`);
    const fd = createOrNull(path);
    // Left by an earlier process with this pid, or by another thread of this one.
    if (fd === null) continue;
    try {
      writeSync(fd, text);
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

/** Returns false if another process was quicker. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only for the owner; never removes the highest. */
function removeUpTo(folder: string, last: number): void {
  for (const number of lockNumbers(folder)) {
    if (number <= last) rmSync(lockFile(folder, number), { force: true });
  }
}

function lockFile(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}
