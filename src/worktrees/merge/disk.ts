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
import { errorCode, hasNoLinks } from "../../lib/errors.ts";
import { unlessMissing } from "../../lib/on-disk.ts";

/**
 * Every write of a merge to the disk, one step each, so that a test can crash between any two. Each step throws the
 * system's error; none replaces an existing file, except `rename` onto a name of Troupe's.
 */
export interface Disk {
  rename(from: string, to: string): void;
  /** Gives a file or link a second name, which must be free. `shared`: it is one file with two names. */
  place(from: string, to: string): { shared: boolean };
  unlink(path: string): void;
  mkdir(path: string, mode: number | null): void;
  rmdir(path: string): void;
  /** On disk when it returns. */
  append(file: string, text: string): void;
  /** Creates or fully replaces a file of Troupe's; on disk when it returns. */
  write(file: string, text: string): void;
  /** Deletes a directory of Troupe's with its content. */
  drop(folder: string): void;
  /** Makes renames in it durable. */
  sync(folder: string): void;
}

export const realDisk: Disk = {
  rename: renameSync,
  place,
  unlink: unlinkSync,
  mkdir(path, mode) {
    mkdirSync(path);
    // Keeps the mode, whatever new directories get here.
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
    if (!hasNoLinks(error)) throw error;
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
  const opened = unlessMissing(() => openSync(folder, constants.O_RDONLY), null);
  // It was deleted with its content.
  if (opened === null) return;
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Ignores failures with these codes: the step was already done, or is not needed. */
export function quietly(act: () => void, codes: readonly string[]): void {
  try {
    act();
  } catch (error) {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
  }
}
