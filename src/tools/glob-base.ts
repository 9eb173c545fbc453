import { basename, dirname, isAbsolute, parse, resolve } from "node:path";

/** A pattern, and the folder it starts from. */
export interface GlobBase {
  readonly folder: string;
  readonly pattern: string;
}

const MAGIC = /[*?[\]{}()!+@\\]/;

/**
 * Takes the plain folders in front of a pattern into the folder, so that `/abs/**` and `../x/*` start where
 * they say and no more is walked than they ask for.
 */
export function globBase(folder: string, pattern: string): GlobBase {
  const root = isAbsolute(pattern) ? parse(pattern).root : "";
  const parts = pattern.slice(root.length).split("/");
  const firstMagic = parts.findIndex((part) => MAGIC.test(part));
  const start = root === "" ? folder : root;
  if (firstMagic >= 0) {
    const plain = parts.slice(0, firstMagic).join("/");
    return { folder: resolve(start, plain), pattern: parts.slice(firstMagic).join("/") };
  }
  const named = resolve(start, parts.join("/"));
  return { folder: dirname(named), pattern: basename(named) };
}
