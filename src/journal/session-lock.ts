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
 * One process per session (fault 46). The lock is a file `lock.N` in the session's folder that names the
 * process; the one with the highest N counts. Whoever finds that empty (given back), or its process gone,
 * links the next number, which one of many can. The highest is never removed, so a number that was once judged
 * cannot come to mean another process: of two that find the same lock stale exactly one gets it.
 */
export type SessionLock =
  | {
      readonly type: "locked";
      /** Gives it back. Idempotent; a process that is killed leaves a stale lock. */
      release(): void;
      /** Where a stale lock was taken over: whose, in a sentence. */
      readonly note?: string;
    }
  | { readonly type: "held"; readonly by: ProcessIdentity; readonly reason: string };

const Owner = z.object({ pid: z.int().check(z.positive()), startedAt: z.nullable(z.string()) });

const NAME = /^lock\.(\d{1,15})$/;
/** Others that take the lock at the same moment win once each; more than this is no coincidence. */
const TRIES = 100;

/**
 * Locks a session for a process, new or there already; makes its folder. Does not wait for the disk. Throws a
 * `JournalError` where the folder cannot be written.
 */
export function lockSession(place: SessionPlace, me: ProcessIdentity): SessionLock {
  try {
    makePrivateFolders(place.home, place.folder, "none");
    return take(place.folder, me);
  } catch (error) {
    throw new JournalError(writeSentence(place.folder, error), place.folder, "unwritable", error);
  }
}

/** The process that has the session open, or null. Looks only. */
export function lockHolder(folder: string): ProcessIdentity | null {
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
      // Others have gone on and tidied up since the first look: that number is of the past.
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
  const reason = `The session is open in another process (pid ${by.pid})${since}; end it there, or go on with a copy of the session. If that process is no Troupe, remove ${lockFile(folder, number)}.`;
  return { type: "held", by, reason };
}

function sinceWhen(path: string): string {
  try {
    return ` since ${statSync(path).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  } catch {
    // Given back just now.
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
      // Gone with its folder, or the disk is: then it is stale as soon as this process has ended.
    }
  };
}

/** 0 where there is none. */
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

/** Null where nobody's name is in it: given back, or what a power cut has left. */
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

/** A whole file before it has the lock's name: nobody ever reads half of one. */
function writeOwn(folder: string, { pid, startedAt }: ProcessIdentity): string {
  const text = JSON.stringify({ pid, startedAt });
  for (let number = 1; ; number += 1) {
    const path = join(folder, `lock-of-${pid}-${number}`);
    const fd = createOrNull(path);
    // Left by an earlier process with this number, or another thread's of this one.
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

/** False where another process was quicker. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only by the holder, and never the highest. */
function removeUpTo(folder: string, last: number): void {
  for (const number of lockNumbers(folder)) {
    if (number <= last) rmSync(lockFile(folder, number), { force: true });
  }
}

function lockFile(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}
