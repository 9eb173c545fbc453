import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { changedSentence, JournalError } from "./journal-error.ts";
import { createPrivateFile, makePrivateFolders, openPrivateFile, syncFolder } from "./private-files.ts";
import type { JournalEnd } from "./reader.ts";
import type { WriterData } from "./writer-messages.ts";

/** The four things a journal does to its file; they throw the system's error. */
export interface JournalFile {
  /** Appends; returns how many bytes were written, which may be fewer. */
  write(bytes: Uint8Array): number;
  /** Returns when everything written is on disk. */
  sync(): void;
  truncate(length: number): void;
  close(): void;
}

const CHUNK_BYTES = 1024 * 1024;

export function openJournalFile({ home, folder, path, beginning }: WriterData): JournalFile {
  switch (beginning.type) {
    case "create":
      // The locker of the session has made them without waiting for the disk.
      makePrivateFolders(home, folder, "all");
      return fileOf(createFile(path));
    case "go-on":
      return fileOf(cutTo(beginning.end, path, onlyTorn));
    case "again":
      return fileOf(cutTo(beginning.end, path, () => {}));
    default:
      return beginning satisfies never;
  }
}

/**
 * Replaces the file at `path` by its first `keep` bytes and `bytes`, durable when this returns. If it throws, `path` is
 * unchanged; at worst its new name is not on disk yet.
 */
export function replaceJournalFile(path: string, keep: number, bytes: Uint8Array): JournalFile {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  const fd = createPrivateFile(fresh);
  try {
    const file = fileOf(fd);
    copyStart(path, keep, file);
    writeAll(file.write, bytes);
    fsyncSync(fd);
    renameSync(fresh, path);
    syncFolder(dirname(path));
    return file;
  } catch (error) {
    closeSync(fd);
    rmSync(fresh, { force: true });
    throw error;
  }
}

function fileOf(fd: number): JournalFile {
  return {
    write: (bytes) => writeSync(fd, bytes),
    sync: () => fdatasyncSync(fd),
    truncate: (length) => ftruncateSync(fd, length),
    close: () => closeSync(fd),
  };
}

/** A thread that died before it could report the new file leaves an empty one. */
function createFile(path: string): number {
  try {
    return createPrivateFile(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST" || !isEmptyFile(path)) throw error;
    return openPrivateFile(path);
  }
}

function isEmptyFile(path: string): boolean {
  const stat = lstatSync(path);
  return stat.isFile() && stat.size === 0;
}

/** Opens the file and cuts off what follows `end`, if `check` does not throw. */
function cutTo({ bytes }: JournalEnd, path: string, check: (fd: number, path: string, from: number) => void) {
  const fd = openPrivateFile(path);
  try {
    const { size } = fstatSync(fd);
    if (size < bytes) throw new JournalError(changedSentence(path), path);
    if (size > bytes) {
      check(fd, path, bytes);
      ftruncateSync(fd, bytes);
    }
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Refuses a complete line behind the end: another process wrote it, and it must not be cut off. */
function onlyTorn(fd: number, path: string, from: number): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = from; ; ) {
    const read = readSync(fd, chunk, 0, chunk.length, position);
    if (read === 0) return;
    if (chunk.subarray(0, read).includes(0x0a)) throw new JournalError(changedSentence(path), path);
    position += read;
  }
}

function copyStart(path: string, length: number, to: JournalFile): void {
  const from = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; position < length; ) {
      const read = readSync(from, chunk, 0, Math.min(chunk.length, length - position), position);
      if (read === 0) throw new JournalError(changedSentence(path), path);
      writeAll(to.write, chunk.subarray(0, read));
      position += read;
    }
  } finally {
    closeSync(from);
  }
}

/** Writes all bytes, with a function that may take fewer. */
export function writeAll(write: JournalFile["write"], bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const taken = write(bytes.subarray(done));
    if (taken <= 0) throw new Error("the system takes no more bytes");
    done += taken;
  }
}
