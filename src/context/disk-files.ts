import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statfsSync,
  statSync,
} from "node:fs";
import { type Clock, systemClock } from "../mailbox/clock.ts";
import type { Content, Files, Look, Marks } from "./files.ts";

/** The real disk, at once: these take microseconds, and the way through the thread pool takes many more. */
export const diskFiles: Files = diskFilesBy(systemClock);

export function diskFilesBy(clock: Pick<Clock, "date">): Files {
  return {
    ...{ look, marks, read, bytes, real, entries },
    listed: (path) => listed(path, () => Date.parse(clock.date())),
    me: process.getuid?.() ?? null,
  };
}

/** It keeps nothing from one whole text to the next. */
const whole = new TextDecoder("utf-8");

function look(path: string): Look {
  try {
    const stats = statSync(path, QUIETLY);
    if (stats === undefined) return { type: "none" };
    const reason = irregular(stats);
    if (reason !== null) return { type: "unusable", reason };
    const { dev, ino, size, mtimeMs, ctimeMs, uid } = stats;
    const identity = `${dev}:${ino}`;
    const owner = process.getuid ? uid : null;
    const stamp = `${identity}:${size}:${mtimeMs}:${ctimeMs}`;
    const marks = { dev, ino, size, mtimeMs, ctimeMs };
    return { type: "file", identity, stamp, marks, size, mtimeMs, inode: ino, owner };
  } catch (error) {
    return whyNot(error);
  }
}

const QUIETLY = { throwIfNoEntry: false } as const;

function marks(path: string): Marks | null {
  try {
    return statSync(path, QUIETLY) ?? null;
  } catch {
    return null;
  }
}

/** Longer than any tick of a clock that stamps a folder: a change in the tick of a look would have the same stamp. */
const TICK_MS = 2_000;

/** Disks of Linux that stamp a folder at once whenever an entry comes, goes or is renamed: ext4, xfs, btrfs, tmpfs. */
const TELLING: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

function listed(path: string, now: () => number): Marks | "none" | null {
  try {
    const stats = statSync(path, QUIETLY);
    if (stats === undefined) return "none";
    const isOld = now() - Math.max(stats.mtimeMs, stats.ctimeMs) > TICK_MS;
    const tells = isOld && stats.isDirectory() && process.platform === "linux";
    return tells && TELLING.has(statfsSync(path).type) ? stats : null;
  } catch {
    return null;
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
    if (taken.includes(0))
      return { type: "unusable", reason: `is no text in UTF-8${savedAs(taken)}, so it was left out` };
    // A character that the end has cut in two is left out.
    const cut = stats.size > taken.length;
    const text = cut ? new TextDecoder("utf-8").decode(taken, { stream: true }) : whole.decode(taken);
    return {
      ...{ type: "text", text: text.replaceAll("\r\n", "\n"), bytes: stats.size },
      // Costs more than the rest of it, and most do not ask.
      get real() {
        return real(path);
      },
    };
  } catch (error) {
    return unusable(whyNot(error));
  } finally {
    closeSync(opened);
  }
}

/** Editors of Windows save what they call Unicode so. */
function savedAs([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? " but in UTF-16" : "";
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

function open(path: string): number | Exclude<Look, { type: "file" }> {
  try {
    // Not blocking: a pipe without a writer would hold the thread for ever.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    return whyNot(error);
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
    // Most of the folders that are looked for are not there, and an error takes longer than this question.
    if (statSync(path, QUIETLY) === undefined) return [];
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

function irregular(stats: Stats): string | null {
  return stats.isFile()
    ? null
    : `is ${stats.isDirectory() ? "a folder" : "no regular file"}, so it was left out`;
}

function whyNot(error: unknown): Exclude<Look, { type: "file" }> {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { type: "none" };
    case "ELOOP":
      return { type: "unusable", reason: "is a link that leads back to itself" };
    case "EACCES":
    case "EPERM":
      return { type: "unusable", reason: "may not be read; check its permissions" };
    default:
      return { type: "unusable", reason: `cannot be read (${code})` };
  }
}

function unusable(why: Exclude<Look, { type: "file" }>): Content {
  return why.type === "none" ? { type: "unusable", reason: "has just gone" } : why;
}
