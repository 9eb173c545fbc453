import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errorMessage } from "../lib/errors.ts";

/** More than anybody writes by hand; a link in a repository may lead to a file without an end. */
const MOST_BYTES = 1_048_576;

export type BoundedText =
  | { readonly type: "absent" }
  /** `problem` follows the file's name in a sentence. */
  | { readonly type: "unreadable"; readonly problem: string }
  /** `identity` is the same for two names of one file. */
  | { readonly type: "text"; readonly text: string; readonly identity: string };

/**
 * A regular file as text, of no more than `mostBytes` (default 1 MB). Never waits: a repository may put a pipe or a device
 * in its place. Synchronous, so that a start does not depend on Node's thread pool for a few small files.
 */
export function readBounded(path: string, mostBytes = MOST_BYTES): BoundedText {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    // ENOTDIR: the folder it would be in is a file, so there are no settings in it either.
    if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
    return { type: "unreadable", problem: `cannot be read (${code})` };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { type: "unreadable", problem: "is not a regular file" };
    if (stats.size > mostBytes)
      return { type: "unreadable", problem: `is larger than ${mostBytes / MOST_BYTES} MB` };
    // Of its size and no more: what `/proc` shows as empty files can be without an end.
    const bytes = Buffer.alloc(stats.size);
    const bytesRead = readSync(fd, bytes, 0, stats.size, 0);
    const identity = `${stats.dev}:${stats.ino}`;
    return { type: "text", text: bytes.toString("utf8", 0, bytesRead), identity };
  } catch (error) {
    return {
      type: "unreadable",
      problem: `cannot be read (${errorMessage(error)})`,
    };
  } finally {
    closeSync(fd);
  }
}
