import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { errorCode, errorMessage, isMissing } from "./errors.ts";

const ONE_MB = 1_048_576;

export type RegularFile =
  | { readonly type: "absent" }
  /** `problem` follows the file's name in a sentence. */
  | { readonly type: "unreadable"; readonly problem: string }
  /** `identity` is the same for two names of one file. */
  | { readonly type: "read"; readonly bytes: Buffer; readonly identity: string };

/**
 * Reads a regular file of at most `mostBytes` (default 1 MB). Never waits: a repository can put a pipe or a device at
 * the path. Synchronous, so that a start does not depend on Node's thread pool for a few small files.
 */
export function readRegularFile(path: string, mostBytes = ONE_MB): RegularFile {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    if (isMissing(error)) return { type: "absent" };
    return { type: "unreadable", problem: `cannot be read (${errorCode(error) ?? errorMessage(error)})` };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { type: "unreadable", problem: "is not a regular file" };
    if (stats.size > mostBytes)
      return { type: "unreadable", problem: `is larger than ${mostBytes / ONE_MB} MB` };
    // At most its size: some files below /proc claim to be empty and never end.
    const bytes = Buffer.alloc(stats.size);
    const bytesRead = readSync(fd, bytes, 0, stats.size, 0);
    return { type: "read", bytes: bytes.subarray(0, bytesRead), identity: `${stats.dev}:${stats.ino}` };
  } catch (error) {
    return { type: "unreadable", problem: `cannot be read (${errorMessage(error)})` };
  } finally {
    closeSync(fd);
  }
}
