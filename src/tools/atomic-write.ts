import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import { DirectoryReplacedError, type HeldFolder, openDirectory } from "./directory-handle.ts";
import { AT_ONCE_BYTES, type Unusable } from "./regular-file.ts";
import { temporaryName } from "./temporary-name.ts";
import type { CallContext } from "./tool.ts";
import { writeError } from "./write-error.ts";
import type { WritePlace } from "./write-place.ts";

export interface Written {
  readonly type: "written";
  readonly stats: Stats;
}

/**
 * Puts these bytes in the file's place: a temporary file beside it, synced, then renamed over it. Whatever
 * happens the file is old or new as a whole (faults 40, 43), and its mode and, where allowed, its owner stay.
 * Refused when the folder or the file is no longer what it was when `place` was found (fault 48). Hard links to
 * the old file keep the old bytes. A killed process can leave its temporary file (see
 * `removeTemporaryFiles`), never half a file; after a loss
 * of power the file may be the old one again, because the folder is not synced: that would cost as much once more.
 */
export async function atomicWrite(
  place: WritePlace,
  bytes: Uint8Array,
  by: Pick<CallContext, "call" | "signal">,
): Promise<Written | Unusable> {
  const { signal } = by;
  signal.throwIfAborted();
  try {
    const folder = openDirectory(place.folder, place.below);
    try {
      return await writeIn(folder, place, bytes, by);
    } finally {
      folder.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    return unusable(
      error instanceof DirectoryReplacedError ? swapped(place.path) : writeError(place.path, error),
    );
  }
}

async function writeIn(
  folder: HeldFolder,
  { path, name, existing }: WritePlace,
  bytes: Uint8Array,
  { call, signal }: Pick<CallContext, "call" | "signal">,
): Promise<Written | Unusable> {
  const temporary = folder.at(temporaryName(call));
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  // What replaces a private file must not be readable by others even for a moment.
  const file = openSync(temporary, flags, existing ? 0o600 : 0o666);
  let renamed = false;
  try {
    const stats = await fill(file, bytes, existing).finally(() => closeSync(file));
    signal.throwIfAborted();
    // From here to the rename nothing is awaited.
    if (!folder.isWhereItWas()) return unusable(swapped(path));
    if (!isSame(existing, lstatSync(folder.at(name), { throwIfNoEntry: false })))
      return unusable(changed(path));
    renameSync(temporary, folder.at(name));
    renamed = true;
    return { type: "written", stats };
  } finally {
    if (!renamed) unlinkSync(temporary);
  }
}

async function fill(file: number, bytes: Uint8Array, existing: Stats | null): Promise<Stats> {
  if (existing) takeAfter(file, existing);
  if (bytes.length <= AT_ONCE_BYTES) {
    writeFileSync(file, bytes);
    // This thread has nothing else to do than to wait for it, and through the pool an edit takes a quarter more.
    fsyncSync(file);
  } else {
    await promisify(writeFile)(file, bytes);
    await promisify(fsync)(file);
  }
  return fstatSync(file);
}

/** Owner first: changing it takes the set-id bits away. */
function takeAfter(file: number, { uid, gid, mode }: Stats): void {
  const own = fstatSync(file);
  const kept = (own.uid === uid && own.gid === gid) || isGivenTo(file, uid, gid);
  // A file of another owner must not get the rights of the new one.
  fchmodSync(file, mode & (kept ? 0o7777 : 0o777));
}

/** Only the system's administrator may give files away; anybody else's copy is then their own. */
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

function swapped(path: string): string {
  return `${path} was not written: a folder on its way was replaced or moved meanwhile. Look at it again first.`;
}

function changed(path: string): string {
  return `${path} was not written: it was changed or replaced at this very moment. Read it again, then write.`;
}

function unusable(reason: string): Unusable {
  return { type: "unusable", reason };
}
