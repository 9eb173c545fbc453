import { dirname, resolve } from "node:path";
import { expandHome } from "../../lib/paths.ts";
import { blankCodeBlocks, blankInlineCode } from "../markdown/blank-code.ts";

/**
 * Returns at most `most` files that a text names as `@path`, in their order: at the beginning of a line or after a space,
 * and not in code. Each has the spellings to try, because a sentence may end right after a path.
 */
export function importsIn(text: string, most: number): (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  const prose = blankInlineCode(blankCodeBlocks(text));
  for (const [, name = ""] of prose.matchAll(/(?:^|\s)@((?:\\ |[^\s\\])+)/gm)) {
    if (found.size >= most) break;
    const path = name.replaceAll("\\ ", " ").replace(/#.*$/, "");
    if (/^(?:\.{1,2}\/|~\/|\/[^/]|[\p{L}\p{N}._-])/u.test(path)) found.set(path, spellings(path));
  }
  return [...found.values()];
}

/** Returns the path of an import of this file. */
export function importedPath(spelling: string, importer: string, homedir: string): string {
  return resolve(dirname(importer), expandHome(spelling, homedir));
}

function spellings(path: string): readonly string[] {
  const bare = path.replace(/[.,;:!?)\]}'"*_]+$/, "");
  return bare === "" || bare === path ? [path] : [path, bare];
}
