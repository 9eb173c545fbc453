import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorCode, isMissing } from "../../lib/errors.ts";

/**
 * All that merging does to the disk, one step each: tests have one that dies between any two. Every one of them
 * throws what the system says; none replaces what is there, but `rename` on a name that is ours.
 */
export interface Disk {
  rename(from: string, to: string): void;
  /** The same file, or link, under a second name, which must be free. `shared`: it is one file with two names. */
  place(from: string, to: string): { shared: boolean };
  unlink(path: string): void;
  mkdir(path: string, mode: number | null): void;
  rmdir(path: string): void;
  /** On the disk when it returns. */
  append(file: string, text: string): void;
  /** A file of ours, new or replaced as a whole, on the disk when it returns. */
  write(file: string, text: string): void;
  /** Ours, with all that is in it. */
  drop(folder: string): void;
  /** What was renamed in it stays so. */
  sync(folder: string): void;
}

/** Disks without hard links, and files that have too many. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

export const realDisk: Disk = {
  rename: renameSync,
  place,
  unlink: unlinkSync,
  mkdir(path, mode) {
    mkdirSync(path);
    // The one it was, whatever new ones get here.
    if (mode !== null) chmodSync(path, mode);
  },
  rmdir: rmdirSync,
  append: (file, text) => durable(file, text, "a"),
  write(file, text) {
    durable(`${file}.new`, text, "w");
    renameSync(`${file}.new`, file);
    sync(dirname(file));
  },
  drop: (folder) => rmSync(folder, { recursive: true, force: true }),
  sync,
};

function place(from: string, to: string): { shared: boolean } {
  const found = lstatSync(from);
  if (found.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, { encoding: "buffer" }), to);
    lutimesSync(to, found.atime, found.mtime);
    return { shared: false };
  }
  try {
    linkSync(from, to);
    return { shared: true };
  } catch (error) {
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    chmodSync(to, found.mode & 0o7777);
    utimesSync(to, found.atime, found.mtime);
    return { shared: false };
  }
}

function durable(file: string, text: string, how: "a" | "w"): void {
  const opened = openSync(file, how, 0o600);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function sync(folder: string): void {
  let opened: number;
  try {
    opened = openSync(folder, constants.O_RDONLY);
  } catch (error) {
    // It went with what was in it.
    if (isMissing(error)) return;
    throw error;
  }
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** What fails in one of these ways was done already, or is not to be done. */
export function quietly(act: () => void, codes: readonly string[]): void {
  try {
    act();
  } catch (error) {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
  }
}
