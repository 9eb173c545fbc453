import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, errorMessage, isMissing } from "./errors.ts";

const ONE_MB = 1_048_576;

export type RegularFile =
  | { readonly type: "absent" }
  /** `problem` follows the file's name in a sentence. */
  | { readonly type: "unreadable"; readonly problem: string }
  /** `identity` is the same for two names of one file. */
  | { readonly type: "read"; readonly bytes: Buffer; readonly identity: string };

/**
 * Reads a regular file of at most `mostBytes` (default 1 MB). Never waits: a repository can put a pipe or a device at
 * the path. Synchronous, so that a start does not depend on Node's thread pool for a few small files.
 */
export function readRegularFile(path: string, mostBytes = ONE_MB): RegularFile {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    if (isMissing(error)) return { type: "absent" };
    return { type: "unreadable", problem: `cannot be read (${errorCode(error) ?? errorMessage(error)})` };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { type: "unreadable", problem: "is not a regular file" };
    if (stats.size > mostBytes)
      return { type: "unreadable", problem: `is larger than ${mostBytes / ONE_MB} MB` };
    // At most its size: some files below /proc claim to be empty and never end.
    const bytes = Buffer.alloc(stats.size);
    const bytesRead = readSync(fd, bytes, 0, stats.size, 0);
    return { type: "read", bytes: bytes.subarray(0, bytesRead), identity: `${stats.dev}:${stats.ino}` };
  } catch (error) {
    return { type: "unreadable", problem: `cannot be read (${errorMessage(error)})` };
  } finally {
    closeSync(fd);
  }
}

/**
 * Replaces a file as a whole: writes a temporary file next to it, syncs it, renames it, syncs the directory. A kill at
 * any moment leaves the old file or the new one (fault 39). Makes a missing directory for this user only, and keeps the
 * file's mode, else sets `mode`. Returns why nothing was written, or null. Follows no link.
 */
export async function replaceFile(path: string, text: string, mode: number): Promise<string | null> {
  const dir = dirname(path);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const old = await lstat(path).catch(() => null);
    if (old !== null && !old.isFile())
      return `${path} is not a regular file, so it was not written; move it away.`;
    await writeWhole(path, text, old === null ? mode : old.mode & 0o777);
    await withFile(await open(dir, constants.O_RDONLY), (handle) => handle.sync());
    return null;
  } catch (error) {
    return `${path} could not be written (${errorMessage(error)}); nothing in it was changed.`;
  }
}

/** The same in a directory that exists: a reader finds all of it or nothing. Rejects if it was not written. */
export async function writeWhole(path: string, text: string, mode: number, isDurable = true): Promise<void> {
  const temporary = temporaryIn(dirname(path));
  try {
    await writeNew(temporary, text, mode, isDurable);
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
}

/** Replaces a private file that can be lost, such as a cache. A failure is ignored. */
export function replaceCache(path: string, text: string): void {
  const temporary = temporaryIn(dirname(path));
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function temporaryIn(dir: string): string {
  return join(dir, `.troupe-${randomUUID()}.tmp`);
}

async function writeNew(path: string, text: string, mode: number, isDurable: boolean): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const flags = O_WRONLY | O_CREAT | O_EXCL | (constants.O_NOFOLLOW ?? 0);
  await withFile(await open(path, flags, 0o600), async (file) => {
    // The umask clears bits of the mode that open() gets.
    await file.chmod(mode);
    await file.writeFile(text);
    if (isDurable) await file.sync();
  });
}

async function withFile(file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> {
  await use(file).finally(() => file.close());
}
