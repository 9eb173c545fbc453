import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The limit of entries for a search; with more, the target counts as found (§4.6). */
const MOST_ENTRIES = 1_000;

/**
 * Returns whether a directory or something below it matches; does not follow links, and counts what cannot be listed.
 */
export function lookBelow(dir: string, isFound: (path: string, entry: Dirent | null) => boolean): boolean {
  const start = lstatSync(dir, { throwIfNoEntry: false });
  if (start === undefined) return false;
  if (isFound(dir, null)) return true;
  if (!start.isDirectory()) return false;
  const pending = [dir];
  let looked = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    let entries: Dirent[];
    try {
      entries = readdirSync(at, { withFileTypes: true });
    } catch {
      return true;
    }
    for (const entry of entries) {
      looked += 1;
      if (looked > MOST_ENTRIES) return true;
      const path = join(at, entry.name);
      if (isFound(path, entry)) return true;
      if (entry.isDirectory()) pending.push(path);
    }
  }
  return false;
}
