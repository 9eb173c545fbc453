import { isComment, lineKind } from "./line-kind.ts";
import type { RankedFile } from "./ranking.ts";
import type { SeenLine } from "./tool-output.ts";

/** Lines of a file that belong together, as a tool showed them, with the line that made them the choice. */
export interface Passage {
  readonly path: string;
  readonly line: number;
  readonly lines: readonly SeenLine[];
  readonly place: RankedFile;
}

/** Every line that was shown, by path and number. */
export type Shown = ReadonlyMap<string, ReadonlyMap<number, string>>;

export function shownLines(lines: readonly SeenLine[]): Shown {
  const shown = new Map<string, Map<number, string>>();
  for (const { path, line, text } of lines) {
    const file = shown.get(path);
    if (file) file.set(line, text);
    else shown.set(path, new Map([[line, text]]));
  }
  return shown;
}

const MOST_LINES = 10;
const MOST_COMMENT = 6;

/** A comment with what it is about, a definition with its comment and its beginning, any other line with its neighbours. */
export function passageAt(place: RankedFile, shown: Shown): Passage {
  const file = shown.get(place.path) ?? new Map<number, string>();
  const at = place.anchor.line;
  const { from, to } = isProse(place.path) ? paragraph(file, at) : code(file, at, place.path);
  const lines: SeenLine[] = [];
  for (let line = from; line <= to; line++) {
    const text = file.get(line);
    if (text !== undefined) lines.push({ path: place.path, line, text });
  }
  while (lines.length > 1 && lines.at(-1)?.text.trim() === "") lines.pop();
  return { path: place.path, line: at, lines, place };
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function code(file: ReadonlyMap<number, string>, at: number, path: string): Range {
  const text = file.get(at) ?? "";
  const commented = (line: number) => isComment((file.get(line) ?? "").trimStart());
  if (commented(at)) {
    let from = at;
    while (at - from < MOST_COMMENT - 2 && commented(from - 1)) from -= 1;
    let to = at;
    while (to - from < MOST_LINES - 2 && commented(to + 1)) to += 1;
    if (filled(file, to + 1)) return { from, to: to + 1 };
    // A comment that stands alone heads a section: its beginning says what the section holds.
    return { from, to: from === to ? bodyEnd(file, to + 2, to + 11) : to };
  }
  const kind = lineKind(path, text);
  if (kind.type !== "definition" && kind.type !== "field")
    return { from: at, to: filled(file, at + 1) ? at + 1 : at };
  let from = at;
  while (at - from < MOST_COMMENT && (commented(from - 1) || /^\s*@\w/.test(file.get(from - 1) ?? "")))
    from -= 1;
  return { from, to: bodyEnd(file, at, Math.max(from + MOST_LINES - 1, at + 2)) };
}

/** Down to the line that closes the definition, a blank line between definitions, or the limit. */
function bodyEnd(file: ReadonlyMap<number, string>, at: number, limit: number): number {
  const indent = indentOf(file.get(at) ?? "");
  if (/[;,]\s*$/.test(file.get(at) ?? "") && !/[{([]\s*[;,]?$/.test(file.get(at) ?? "")) return at;
  let to = at;
  while (to < limit) {
    const next = file.get(to + 1);
    if (next === undefined) break;
    const closes = /^\s*[\])}]|^\s*end\b/.test(next);
    if (
      next.trim() === ""
        ? !filled(file, to + 2) || indentOf(file.get(to + 2) ?? "") <= indent
        : indentOf(next) <= indent && !closes
    )
      break;
    to += 1;
    if (closes && indentOf(next) <= indent) break;
  }
  return to;
}

/** The lines around, to the blank lines; under a heading, the paragraph that it heads. */
function paragraph(file: ReadonlyMap<number, string>, at: number): Range {
  const heads = /^#/.test(file.get(at) ?? "") && file.get(at + 1) === "" && filled(file, at + 2);
  let from = at;
  while (!heads && at - from < 2 && filled(file, from - 1)) from -= 1;
  let to = heads ? at + 2 : at;
  while (to - from < MOST_LINES - 4 && filled(file, to + 1)) to += 1;
  return { from, to };
}

function filled(file: ReadonlyMap<number, string>, line: number): boolean {
  return (file.get(line) ?? "").trim() !== "";
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

export function isProse(path: string): boolean {
  return /\.(?:md|mdx|rst|adoc|txt)$/i.test(path);
}
