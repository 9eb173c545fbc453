import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { JournalError, writeSentence } from "./journal-error.ts";
import { projectsFolder } from "./paths.ts";

/**
 * Makes `folder` and every directory between it and `home`, for this user only (0700 whatever the umask). An existing
 * one must be a real directory of this user: a planted link is refused, wider permissions are removed. The user may
 * make `home` itself a link. `sync`: which of their names must be on disk.
 */
export function makePrivateFolders(home: string, folder: string, sync: "new" | "all" | "none" = "new"): void {
  const names = relative(home, folder).split(sep);
  if (names.includes("..") || names.includes("")) {
    throw new JournalError(`${folder} is not inside ${home}, where Troupe keeps its sessions.`, folder);
  }
  makeHome(home);
  let path = home;
  for (const name of names) {
    path = join(path, name);
    const isNew = makeFolder(path);
    if (sync === "all" || (sync === "new" && isNew)) syncFolder(dirname(path));
    checkFolder(path);
  }
}

/**
 * Makes a new file that only this user can read and opens it for appending. Never an existing one, and never through a
 * link (O_EXCL refuses both). Its name is durable when this returns.
 */
export function createPrivateFile(path: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(fd, 0o600);
    syncFolder(dirname(path));
    return fd;
  } catch (error) {
    closeSync(fd);
    // Otherwise a second try would find its own leftovers.
    unlinkSync(path);
    throw error;
  }
}

/**
 * Opens an existing file for reading and appending: never through a link, only a real file of this user. Removes wider
 * permissions.
 */
export function openPrivateFile(path: string): number {
  const { O_RDWR, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openLinkless(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw notOurs(path, "is not a file");
    if (process.getuid !== undefined && stat.uid !== process.getuid()) {
      throw notOurs(path, "belongs to another user");
    }
    if ((stat.mode & 0o777) !== 0o600) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openLinkless(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw errorCode(error) === "ELOOP" ? notOurs(path, "is a link") : error;
  }
}

function notOurs(path: string, what: string): JournalError {
  return new JournalError(
    `${path} ${what}, so the session is not written there; move it away or start a new session.`,
    path,
  );
}

function makeHome(home: string): void {
  try {
    // The umask can remove bits that Troupe needs; an existing home is left as it is.
    if (makeFolders(home)) chmodSync(home, 0o700);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "EEXIST" && code !== "ENOTDIR") throw error;
    throw new JournalError(
      `Sessions cannot be kept in ${home}, because it or a directory above it is a file; set TROUPE_HOME to a directory.`,
      home,
    );
  }
}

/** Returns true if it was missing. Level by level: a recursive mkdir never ends below a path like /proc. */
function makeFolders(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) === "EEXIST" && statSync(path).isDirectory()) return false;
    if (errorCode(error) !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolders(parent);
    mkdirSync(path, { mode: 0o700 });
    return true;
  }
}

/** Returns true if it was missing. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  chmodSync(path, 0o700);
  return true;
}

/** By descriptor, so that what is checked is what is changed. */
function checkFolder(path: string): void {
  const fd = openFolder(path);
  try {
    const { uid, mode } = fstatSync(fd);
    if (process.getuid !== undefined && uid !== process.getuid()) {
      throw new JournalError(
        `${path} belongs to another user, so the session is not kept there; move it away or set TROUPE_HOME to a directory of your own.`,
        path,
      );
    }
    if ((mode & 0o077) !== 0) fchmodSync(fd, 0o700);
  } finally {
    closeSync(fd);
  }
}

function openFolder(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ELOOP" && code !== "ENOTDIR") throw error;
    throw new JournalError(
      `${path} is a link or a file where Troupe needs a directory of its own; move it away or set TROUPE_HOME to another directory.`,
      path,
    );
  }
}

/** A new name is on disk only when its directory is. */
export function syncFolder(path: string): void {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns why no session can be kept there, in a sentence, or null. Makes missing directories. */
export function homeProblem(home: string): string | null {
  try {
    makePrivateFolders(home, projectsFolder(home));
    return null;
  } catch (error) {
    return error instanceof JournalError ? error.message : writeSentence(home, error);
  }
}
