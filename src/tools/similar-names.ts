import { opendir, stat } from "node:fs/promises";
import { basename, dirname, join, parse } from "node:path";
import { editDistance } from "../mailbox/edit-distance.ts";

const LOOKED_AT = 2_000;
const SUGGESTED = 3;

/** Returns paths in the same directory with a name close to the missing one, closest first. */
export async function similarNames(path: string): Promise<string[]> {
  const dir = dirname(path);
  const wanted = basename(path);
  const found: { name: string; distance: number }[] = [];
  for (const name of await namesIn(dir)) {
    const distance = difference(wanted, name);
    if (distance <= Math.max(2, wanted.length / 4)) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, SUGGESTED).map(({ name }) => join(dir, name));
}

/** Returns the deepest part of the path that is a directory. */
export async function nearestDirectory(path: string): Promise<string> {
  let dir = dirname(path);
  while (dir !== dirname(dir)) {
    const found = await stat(dir).catch(() => null);
    if (found?.isDirectory()) break;
    dir = dirname(dir);
  }
  return dir;
}

async function namesIn(dir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(dir)) {
      names.push(name);
      if (names.length >= LOOKED_AT) break;
    }
  } catch {
    // There is no such directory, or it cannot be read: nothing to suggest.
  }
  return names;
}

/** Returns the edits between two names; 0 if only the case differs, 1 if only the extension does. */
function difference(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  if (parse(left).name === parse(right).name) return 1;
  return editDistance(left, right);
}
