import { dirname, isAbsolute, join, resolve } from "node:path";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENTED = /^(?: {4}|\t)/;

/**
 * Returns at most `most` files that a text names as `@path`, in their order: at the beginning of a line or after a space,
 * and not in code. Each has the spellings to try, because a sentence may end right after a path.
 */
export function importsIn(text: string, most: number): (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const line of proseLines(text)) {
    for (const [, name = ""] of line.matchAll(/(?:^|\s)@((?:\\ |[^\s\\])+)/g)) {
      if (found.size >= most) return [...found.values()];
      const path = name.replaceAll("\\ ", " ").replace(/#.*$/, "");
      if (/^(?:\.{1,2}\/|~\/|\/[^/]|[\p{L}\p{N}._-])/u.test(path)) found.set(path, spellings(path));
    }
  }
  return [...found.values()];
}

/** Returns the path of an import of this file. */
export function importedPath(spelling: string, importer: string, homedir: string): string {
  if (spelling.startsWith("~/")) return join(homedir, spelling.slice(2));
  return isAbsolute(spelling) ? resolve(spelling) : resolve(dirname(importer), spelling);
}

/** Returns the lines outside of code, without the code in them. */
function proseLines(text: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  let afterText = false;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    // An indented line after text continues its paragraph or list; otherwise it is code.
    const isCode: boolean = INDENTED.test(line) && !afterText;
    afterText = line.trim() !== "" && !isCode;
    lines.push(isCode ? "" : line);
  }
  // Code between backticks may continue over lines of one paragraph.
  return lines
    .join("\n")
    .replace(/(?<!`)(`+)(?!`)((?:(?!\n\s*\n)[\s\S])*?)(?<!`)\1(?!`)/g, (span) => span.replace(/[^\n]/g, " "))
    .split("\n");
}

function spellings(path: string): readonly string[] {
  const bare = path.replace(/[.,;:!?)\]}'"*_]+$/, "");
  return bare === "" || bare === path ? [path] : [path, bare];
}
