import { dirname, isAbsolute, join, resolve } from "node:path";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const INDENTED = /^(?: {4}|\t)/;

/**
 * The files a memory file names as `@path`, in their order: at the beginning of a line or after a space, and not in
 * code, `most` of them. Each with the spellings to try: a sentence may end right behind a path.
 */
export function importsIn(text: string, most: number): (readonly string[])[] {
  const found = new Map<string, readonly string[]>();
  for (const line of proseIn(text)) {
    for (const [, name = ""] of line.matchAll(/(?:^|\s)@((?:\\ |[^\s\\])+)/g)) {
      if (found.size >= most) return [...found.values()];
      const path = name.replaceAll("\\ ", " ").replace(/#.*$/, "");
      if (looksLikePath(path)) found.set(path, spellings(path));
    }
  }
  return [...found.values()];
}

/** Where an import of this file leads. */
export function importedPath(spelling: string, importer: string, homedir: string): string {
  if (spelling.startsWith("~/")) return join(homedir, spelling.slice(2));
  return isAbsolute(spelling) ? resolve(spelling) : resolve(dirname(importer), spelling);
}

/** The lines outside of code, without the code in them. */
function proseIn(text: string): string[] {
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
    // An indented line is code only where it goes on with no paragraph and no list.
    const isCode: boolean = INDENTED.test(line) && !afterText;
    afterText = line.trim() !== "" && !isCode;
    lines.push(isCode ? "" : line);
  }
  return withoutSpans(lines.join("\n")).split("\n");
}

/** Code between backticks, which may go on over lines of one paragraph. */
function withoutSpans(text: string): string {
  return text.replace(/(?<!`)(`+)(?!`)((?:(?!\n\s*\n)[\s\S])*?)(?<!`)\1(?!`)/g, (span) =>
    span.replace(/[^\n]/g, " "),
  );
}

function looksLikePath(path: string): boolean {
  return /^(?:\.{1,2}\/|~\/|\/[^/]|[\p{L}\p{N}._-])/u.test(path);
}

function spellings(path: string): readonly string[] {
  const bare = path.replace(/[.,;:!?)\]}'"*_]+$/, "");
  return bare === "" || bare === path ? [path] : [path, bare];
}
