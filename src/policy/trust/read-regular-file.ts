import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** More than a configuration is; a repository may put anything in its place. */
const MOST_BYTES = 1_048_576;

/** A small regular file as text, as `readBytes` has it. */
export function readRegularFile(path: string): { readonly text: string } | "unreadable" | null {
  const read = readBytes(path, MOST_BYTES);
  return read === null || read === "unreadable" ? read : { text: read.toString("utf8") };
}

/** The same as text alone; null if there is nothing that can be read. */
export function textAt(path: string): string | null {
  const read = readRegularFile(path);
  return read === null || read === "unreadable" ? null : read.text;
}

/**
 * A regular file, at once; null where there is none, "unreadable" where there is something else or more than
 * `most` bytes. Never waits, whatever stands there.
 */
export function readBytes(path: string, most: number): Buffer | "unreadable" | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? null : "unreadable";
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > most) return "unreadable";
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes, 0, stats.size, 0));
  } catch {
    return "unreadable";
  } finally {
    closeSync(file);
  }
}
