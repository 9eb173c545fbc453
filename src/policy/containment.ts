import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

/**
 * Whether a path lies in one of the folders, by path component and through every link: the lexical and the
 * real path must both be inside (permission-semantics 4.1, 4.2).
 */
export async function isInside(path: string, folders: readonly string[]): Promise<boolean> {
  const lexical = resolve(path);
  const real = await realOf(lexical);
  const roots = await Promise.all(
    folders.map(async (folder) => [resolve(folder), await realOf(resolve(folder))]),
  );
  const within = (candidate: string) => roots.some((root) => root.some((folder) => holds(folder, candidate)));
  return within(lexical) && within(real);
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path; for something missing, that of its deepest existing ancestor with the rest appended. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : resolve(await realOf(parent), relative(parent, path));
  }
}
