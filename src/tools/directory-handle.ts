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
 * An open directory: names in it mean files in this directory, even if its path now leads elsewhere. Node has no openat:
 * on Linux the kernel's own path of an open directory does the same. Elsewhere the path is used, and only
 * `isWhereItWas` right before a change protects it. Synchronous: these calls take microseconds.
 */
export interface DirectoryHandle {
  /** Returns the path of something in it. */
  at(name: string): string;
  /** True if the real path it was opened by still leads to it; to be asked right before a change. */
  isWhereItWas(): boolean;
  close(): void;
}

/** A link or another directory is where the directory was. */
export class DirectoryReplacedError extends Error {
  override readonly name = "DirectoryReplacedError";
}

const NO_LINKS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** `real` is a real path; `below` are names of directories under it, made if they are missing; links are never followed. */
export function openDirectory(real: string, below: readonly string[]): DirectoryHandle {
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
