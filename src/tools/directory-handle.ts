import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";

/**
 * A folder held open, so that what is named in it is in this very folder, whatever its path comes to mean
 * meanwhile. Node has no openat: on Linux the kernel's own name of an open folder does the same. Elsewhere the
 * path is used, and `isWhereItWas` right before a change is what is left.
 *
 * All of it is synchronous: these calls take microseconds, a turn through the thread pool takes many more.
 */
export interface HeldFolder {
  /** How to name something in it. */
  at(name: string): string;
  /** Whether the real path it was taken by still leads to it: the last thing to ask before a change. */
  isWhereItWas(): boolean;
  close(): void;
}

/** Why a folder was not taken: a link stands where a folder stood, or was asked for. */
export class DirectoryReplacedError extends Error {
  override readonly name = "FolderSwapped";
}

const NO_LINKS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** `real` is a real path; `below` are names of folders under it, made where they are missing, never followed. */
export function openDirectory(real: string, below: readonly string[]): HeldFolder {
  if (process.platform === "win32") return byPath(join(real, ...below));
  let held = byDescriptor(real, real);
  try {
    if (!held.isWhereItWas()) throw new DirectoryReplacedError(`${real} is not where it was a moment ago`);
    let path = real;
    for (const name of below) {
      makeFolder(held.at(name));
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

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function byDescriptor(opened: string, path: string): HeldFolder {
  const folder = openFolder(opened, path);
  const stats = fstatSync(folder);
  const isLinux = process.platform === "linux";
  const itself = isLinux ? `/proc/self/fd/${folder}` : path;
  return {
    at: (name) => `${itself}/${name}`,
    isWhereItWas: () => (isLinux ? readlinkSync(itself) === path : leadsTo(path, stats)),
    close: () => closeSync(folder),
  };
}

function openFolder(path: string, shown: string): number {
  try {
    return openSync(path, NO_LINKS);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP" || code === "ENOTDIR")
      throw new DirectoryReplacedError(`${shown} is a link or a file where a folder should be`);
    throw error;
  }
}

function leadsTo(path: string, { dev, ino }: Stats): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return realpathSync(path) === path && now?.dev === dev && now.ino === ino;
}

/** Windows opens no folders. */
function byPath(path: string): HeldFolder {
  mkdirSync(path, { recursive: true });
  return {
    at: (name) => join(path, name),
    isWhereItWas: () => realpathSync(path) === path,
    close() {},
  };
}
