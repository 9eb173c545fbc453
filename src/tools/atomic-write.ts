import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../lib/errors.ts";
import type { CallId } from "../mailbox/ids.ts";
import { MAX_SYNC_BYTES, type Unusable, unusable } from "./regular-file.ts";
import type { CallContext } from "./tool.ts";
import { type WritePlace, writeError } from "./write-place.ts";

export interface WrittenFile {
  readonly type: "written";
  readonly stats: Stats;
}

/**
 * Replaces a file as a whole: a temporary file next to it, synced, then renamed over it. Whatever happens the file is the
 * old or the new one (faults 40, 43), and keeps its mode and, if permitted, its owner. Refused if the directory or the
 * file is no longer what it was when `place` was found (fault 48). Hard links keep the old bytes. A killed process can
 * leave its temporary file (see `removeTemporaryFiles`); after a loss of power the file may be the old one, because the
 * directory is not synced: that would double the time.
 */
export async function atomicWrite(
  place: WritePlace,
  bytes: Uint8Array,
  by: Pick<CallContext, "call" | "signal">,
): Promise<WrittenFile | Unusable> {
  const { signal } = by;
  signal.throwIfAborted();
  try {
    const dir = openDirectory(place.dir, place.below);
    try {
      return await writeIn(dir, place, bytes, by);
    } finally {
      dir.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    return unusable(
      error instanceof DirectoryReplacedError ? directoryReplaced(place.path) : writeError(place.path, error),
    );
  }
}

async function writeIn(
  dir: DirectoryHandle,
  { path, name, existing }: WritePlace,
  bytes: Uint8Array,
  { call, signal }: Pick<CallContext, "call" | "signal">,
): Promise<WrittenFile | Unusable> {
  const temporary = dir.at(`${prefixOf(call)}${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  // What replaces a private file must not be readable by others even for a moment.
  const file = openSync(temporary, flags, existing ? 0o600 : 0o666);
  let renamed = false;
  try {
    const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    // No await from here to the rename.
    if (!dir.isWhereItWas()) return unusable(directoryReplaced(path));
    if (!isSame(existing, lstatSync(dir.at(name), { throwIfNoEntry: false }))) return unusable(changed(path));
    renameSync(temporary, dir.at(name));
    renamed = true;
    return { type: "written", stats };
  } finally {
    if (!renamed) unlinkSync(temporary);
  }
}

async function fill(file: number, bytes: Uint8Array, existing: Stats | null): Promise<Stats> {
  if (existing) copyOwnerAndMode(file, existing);
  if (bytes.length <= MAX_SYNC_BYTES) {
    writeFileSync(file, bytes);
    // Through the thread pool an edit takes a quarter longer.
    fsyncSync(file);
  } else {
    await promisify(writeFile)(file, bytes);
    await promisify(fsync)(file);
  }
  return fstatSync(file);
}

/** Owner first: changing it clears the set-id bits. */
function copyOwnerAndMode(file: number, { uid, gid, mode }: Stats): void {
  const own = fstatSync(file);
  const kept = (own.uid === uid && own.gid === gid) || isGivenTo(file, uid, gid);
  // A file of another owner must not keep the set-id bits.
  fchmodSync(file, mode & (kept ? 0o7777 : 0o777));
}

/** Only the administrator may give files away. */
function isGivenTo(file: number, uid: number, gid: number): boolean {
  try {
    fchownSync(file, uid, gid);
    return true;
  } catch {
    return false;
  }
}

function isSame(before: Stats | null, now: Stats | undefined): boolean {
  if (before === null || now === undefined) return before === null && now === undefined;
  return (
    now.isFile() &&
    now.ino === before.ino &&
    now.dev === before.dev &&
    now.size === before.size &&
    now.mtimeMs === before.mtimeMs
  );
}

function directoryReplaced(path: string): string {
  return `${path} was not written: a directory in its path was replaced or moved. Look at it again first.`;
}

function changed(path: string): string {
  return `${path} was not written: it was changed or replaced at the same moment. Read it again, then write.`;
}

/**
 * An open directory: names in it mean files in this directory, even if its path now leads elsewhere. Node has no openat:
 * on Linux the kernel's own path of an open directory does the same. Elsewhere the path is used, and only
 * `isWhereItWas` right before a change protects it. Synchronous: these calls take microseconds.
 */
interface DirectoryHandle {
  /** Returns the path of something in it. */
  at(name: string): string;
  /** True if the real path it was opened by still leads to it; to be asked right before a change. */
  isWhereItWas(): boolean;
  close(): void;
}

/** A link or another directory is where the directory was. */
class DirectoryReplacedError extends Error {
  override readonly name = "DirectoryReplacedError";
}

const NO_LINKS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** `real` is a real path; `below` are names of directories under it, made if they are missing; links are never followed. */
function openDirectory(real: string, below: readonly string[]): DirectoryHandle {
  if (process.platform === "win32") return byPath(join(real, ...below));
  let held = byDescriptor(real, real);
  try {
    if (!held.isWhereItWas()) throw new DirectoryReplacedError(`${real} was replaced`);
    let path = real;
    for (const name of below) {
      makeDirectory(held.at(name));
      path = join(path, name);
      const next = byDescriptor(held.at(name), path);
      held.close();
      held = next;
    }
    return held;
  } catch (error) {
    held.close();
    throw error;
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function byDescriptor(opened: string, path: string): DirectoryHandle {
  const fd = openNoFollow(opened, path);
  const stats = fstatSync(fd);
  const isLinux = process.platform === "linux";
  const itself = isLinux ? `/proc/self/fd/${fd}` : path;
  return {
    at: (name) => `${itself}/${name}`,
    isWhereItWas: () => (isLinux ? readlinkSync(itself) === path : leadsTo(path, stats)),
    close: () => closeSync(fd),
  };
}

function openNoFollow(path: string, shown: string): number {
  try {
    return openSync(path, NO_LINKS);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENOTDIR")
      throw new DirectoryReplacedError(`${shown} is a link or a file, not a directory`);
    throw error;
  }
}

function leadsTo(path: string, { dev, ino }: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return realpathSync(path) === path && now?.dev === dev && now.ino === ino;
}

/** Windows cannot open directories. */
function byPath(path: string): DirectoryHandle {
  mkdirSync(path, { recursive: true });
  return {
    at: (name) => join(path, name),
    isWhereItWas: () => realpathSync(path) === path,
    close() {},
  };
}

/** Returns how the name of the file begins that a call writes before it renames it. */
function prefixOf(call: CallId): string {
  return `.troupe-${call}-`;
}

/** Removes what a call left next to this file if it was killed while it wrote. Throws the error of the system. */
export function removeTemporaryFiles(path: string, call: CallId): void {
  for (const directory of new Set([dirname(path), dirname(really(path))]))
    for (const name of namesIn(directory))
      if (name.startsWith(prefixOf(call)) && name.endsWith(".tmp")) unlinkSync(join(directory, name));
}

/** The file is replaced where it really is. */
function really(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
