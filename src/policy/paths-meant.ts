import { readlink, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";

/** More links than this one after the other are a circle. */
const MAX_LINKS = 40;

/** What a path may mean: as it is written, and where it leads. */
export async function pathsMeant(path: string): Promise<readonly [lexical: string, real: string]> {
  const lexical = resolve(path);
  return [lexical, await realOf(lexical, MAX_LINKS)];
}

/**
 * The real path. For something missing, that of its deepest existing ancestor with the rest appended; a link to
 * something missing is followed, because writing to it would make what it names.
 */
async function realOf(path: string, links: number): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const inReal = resolve(await realOf(parent, links), relative(parent, path));
    const target = links > 0 ? await readlink(inReal).catch(() => null) : null;
    return target === null ? inReal : realOf(resolve(dirname(inReal), target), links - 1);
  }
}
