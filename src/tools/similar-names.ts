import { opendir, stat } from "node:fs/promises";
import { basename, dirname, join, parse } from "node:path";
import { editDistance } from "../mailbox/edit-distance.ts";

const LOOKED_AT = 2_000;
const SUGGESTED = 3;

/** Paths in the same folder whose names are close to the missing one, closest first. */
export async function similarNames(path: string): Promise<string[]> {
  const folder = dirname(path);
  const wanted = basename(path);
  const found: { name: string; distance: number }[] = [];
  for (const name of await namesIn(folder)) {
    const distance = difference(wanted, name);
    if (distance <= Math.max(2, wanted.length / 4)) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, SUGGESTED).map(({ name }) => join(folder, name));
}

/** The deepest part of the path that is a folder. */
export async function nearestFolder(path: string): Promise<string> {
  let folder = dirname(path);
  while (folder !== dirname(folder)) {
    const found = await stat(folder).catch(() => null);
    if (found?.isDirectory()) break;
    folder = dirname(folder);
  }
  return folder;
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      names.push(name);
      if (names.length >= LOOKED_AT) break;
    }
  } catch {
    // No such folder, or not ours to look into: then there is nothing to suggest.
  }
  return names;
}

/** How far apart two names are: 0 but for case, 1 but for the extension, else the edits between them. */
function difference(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  if (parse(left).name === parse(right).name) return 1;
  return editDistance(left, right);
}
