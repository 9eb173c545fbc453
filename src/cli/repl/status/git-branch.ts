import { dirname, isAbsolute, join } from "node:path";
import { readRegularFile } from "../../../lib/read-regular-file.ts";

/** A file of git with one line. */
const MOST_BYTES = 4_096;

/** Returns the branch that is checked out in a directory, or the start of the commit; null outside of a repository. */
export function gitBranch(cwd: string): string | null {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const own = lineOf(join(dir, ".git", "HEAD"));
    if (own !== null) return nameOf(own);
    const [, linked] = /^gitdir: (.+)$/.exec(lineOf(join(dir, ".git")) ?? "") ?? [];
    if (linked !== undefined) {
      const head = lineOf(join(isAbsolute(linked) ? linked : join(dir, linked), "HEAD"));
      return head === null ? null : nameOf(head);
    }
    if (dirname(dir) === dir) return null;
  }
}

function nameOf(head: string): string {
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
}

function lineOf(path: string): string | null {
  const file = readRegularFile(path, MOST_BYTES);
  return file.type === "read" ? (file.bytes.toString("utf8").split("\n", 1)[0] ?? "") : null;
}
