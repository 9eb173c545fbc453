import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { errorCode } from "../lib/errors.ts";

/** What is at a path; links are followed. */
export type FileLook =
  | { readonly type: "none" }
  /** `reason` follows the path in a sentence. */
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "file";
      /** The path itself is a link to it. */
      readonly isLink: boolean;
      /** The same for two names of one file. */
      readonly identity: string;
      /** Changes with the content. */
      readonly stamp: string;
      readonly size: number;
      readonly mtimeMs: number;
      readonly inode: number;
      /** The user ID of its owner; null on systems without one. */
      readonly owner: number | null;
    };

export type Content =
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "text";
      /** Whole characters, at most as many bytes as were asked for. */
      readonly text: string;
      /** Bytes of the whole file. */
      readonly bytes: number;
      /** Its path without links. */
      readonly real: string;
    };

/** What the context needs of a disk. Never throws and never waits, whatever is at a path. */
export interface Files {
  look(path: string): FileLook;
  /** Reads at most `most` bytes from the beginning of a regular file. */
  read(path: string, most: number): Content;
  /** Reads a regular file; null if it has more than `most` bytes, or is not one. */
  bytes(path: string, most: number): Uint8Array | null;
  /** Returns the path without links, or as it is if nothing is there. */
  real(path: string): string;
  /** Returns the entries of a directory in no order; none if it is not a readable directory. */
  entries(path: string): readonly Dirent[];
  /** The user's ID: the owner of their own files; null on systems without one. */
  readonly me: number | null;
}

/** The real disk. Synchronous: these calls take microseconds, and the way through the thread pool takes many more. */
export const diskFiles: Files = { look, read, bytes, real, entries, me: process.getuid?.() ?? null };

const QUIETLY = { throwIfNoEntry: false } as const;

function look(path: string): FileLook {
  try {
    const own = lstatSync(path, QUIETLY);
    const isLink = own?.isSymbolicLink() ?? false;
    const stats = isLink ? statSync(path, QUIETLY) : own;
    if (stats === undefined) return { type: "none" };
    const reason = irregular(stats);
    if (reason !== null) return { type: "unusable", reason };
    const { dev, ino, size, mtimeMs, ctimeMs, uid } = stats;
    const identity = `${dev}:${ino}`;
    const stamp = `${identity}:${size}:${mtimeMs}:${ctimeMs}`;
    return {
      ...{ type: "file", isLink, identity, stamp, size, mtimeMs, inode: ino },
      owner: process.getuid ? uid : null,
    };
  } catch (error) {
    return openError(error);
  }
}

function read(path: string, most: number): Content {
  const opened = open(path);
  if (typeof opened !== "number") return unusable(opened);
  try {
    const stats = fstatSync(opened);
    const reason = irregular(stats);
    if (reason !== null) return { type: "unusable", reason };
    const taken = beginning(opened, Math.min(most, stats.size));
    if (taken.includes(0)) return { type: "unusable", reason: `is not UTF-8 text${savedAs(taken)}` };
    // With `stream`, a character that the end has cut in two is left out.
    const text = new TextDecoder().decode(taken, { stream: stats.size > taken.length });
    return {
      ...{ type: "text", text: text.replaceAll("\r\n", "\n"), bytes: stats.size },
      // Costs more than the rest, and most callers do not need it.
      get real() {
        return real(path);
      },
    };
  } catch (error) {
    return unusable(openError(error));
  } finally {
    closeSync(opened);
  }
}

/** Windows editors call UTF-16 “Unicode”. */
function savedAs([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? " but UTF-16" : "";
}

function bytes(path: string, most: number): Uint8Array | null {
  const opened = open(path);
  if (typeof opened !== "number") return null;
  try {
    const stats = fstatSync(opened);
    return irregular(stats) === null && stats.size <= most ? beginning(opened, stats.size) : null;
  } catch {
    return null;
  } finally {
    closeSync(opened);
  }
}

function open(path: string): number | Exclude<FileLook, { type: "file" }> {
  try {
    // Not blocking: a pipe without a writer would hold the thread forever.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    return openError(error);
  }
}

function beginning(file: number, length: number): Buffer {
  const all = Buffer.alloc(length);
  return all.subarray(0, readSync(file, all, 0, length, 0));
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function entries(path: string): readonly Dirent[] {
  try {
    // Most directories that are looked for are absent, and an error takes longer than this question.
    if (statSync(path, QUIETLY) === undefined) return [];
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function irregular(stats: Stats): string | null {
  if (stats.isFile()) return null;
  return stats.isDirectory() ? "is a directory, not a file" : "is not a regular file";
}

function openError(error: unknown): Exclude<FileLook, { type: "file" }> {
  const code = errorCode(error) ?? String(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { type: "none" };
    case "ELOOP":
      return { type: "unusable", reason: "is a link that leads back to itself" };
    case "EACCES":
    case "EPERM":
      return { type: "unusable", reason: "cannot be read; check its permissions" };
    default:
      return { type: "unusable", reason: `cannot be read (${code})` };
  }
}

function unusable(look: Exclude<FileLook, { type: "file" }>): Content {
  return look.type === "none" ? { type: "unusable", reason: "was just deleted" } : look;
}
