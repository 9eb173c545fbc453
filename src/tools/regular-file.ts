import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { whyUnusable } from "./paths.ts";

/** An open file, under its real path. Whoever asked for it closes it. */
export interface RegularFile {
  readonly type: "file";
  readonly file: FileHandle;
  readonly path: string;
  readonly stats: Stats;
}

export interface Unusable {
  readonly type: "unusable";
  readonly reason: string;
}

/**
 * Opens a regular file to read. Looked at before it is opened, because opening a device can act on it, and
 * again afterwards, because it may have been replaced; not blocking, because a pipe without a writer would
 * hold the thread for ever; never through a link that has come into the place of the real path's last part.
 */
export async function openRegular(path: string): Promise<RegularFile | Unusable> {
  try {
    const real = await realpath(path);
    const before = irregular(real, await stat(real));
    if (before !== null) return { type: "unusable", reason: before };
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | (constants.O_NOFOLLOW ?? 0));
    const stats = await file.stat();
    const after = irregular(real, stats);
    if (after === null) return { type: "file", file, path: real, stats };
    await file.close();
    return { type: "unusable", reason: after };
  } catch (error) {
    return { type: "unusable", reason: await whyUnusable(path, error) };
  }
}

/** Why this is no file to read or write, or null where it is one. */
export function irregular(path: string, stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory())
    return `${path} is a folder, not a file. List what is in it with Glob (path: ${JSON.stringify(path)}, pattern: "*").`;
  return `${path} is a ${stats.isFIFO() ? "named pipe" : stats.isSocket() ? "socket" : "device"}, not a file; it cannot be read or written.`;
}
