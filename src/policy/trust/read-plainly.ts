import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** More than a configuration is; a repository may put anything in its place. */
const MOST_BYTES = 1_048_576;

/**
 * A small regular file as text, at once; null where there is none, "unreadable" where there is something else.
 * Never waits, whatever stands there.
 */
export function readPlainly(path: string): { readonly text: string } | "unreadable" | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? null : "unreadable";
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MOST_BYTES) return "unreadable";
    const bytes = Buffer.alloc(stats.size);
    return { text: bytes.toString("utf8", 0, readSync(file, bytes, 0, stats.size, 0)) };
  } catch {
    return "unreadable";
  } finally {
    closeSync(file);
  }
}
