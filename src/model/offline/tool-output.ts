/** One line of a file, as a tool showed it. */
export interface SeenLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Bounds on what is looked at: the tools bound their output, another provider's tools may not. */
const MOST_LINES = 2_000;
const MOST_FOUND = 250;
const MOST_LINE_LENGTH = 400;

/** `path:line:text` of Grep; lines of context and notices are passed over. */
export function grepLines(text: string): SeenLine[] {
  return linesOf(text, MOST_LINE_LENGTH, MOST_FOUND).flatMap((row) => {
    const [, path, line, rest] = /^((?:[A-Za-z]:)?[^:]+):(\d+):(.*)$/s.exec(row) ?? [];
    if (path === undefined || line === undefined || rest === undefined) return [];
    return [{ path, line: Number(line), text: rest.replace(CUT_MARK, "…") }];
  });
}

/** What ripgrep writes where it cuts a long line. */
const CUT_MARK = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;

/** Number, tab, text of Read (or the arrow of older forms). `whole`: lines are not cut, for changing them. */
export function readLines(path: string, text: string, whole = false): SeenLine[] {
  return linesOf(text, whole ? Number.POSITIVE_INFINITY : MOST_LINE_LENGTH).flatMap((row) => {
    const [, line, rest] = /^\s*(\d+)[\t→](.*)$/s.exec(row) ?? [];
    if (line === undefined || rest === undefined) return [];
    return [{ path, line: Number(line), text: rest }];
  });
}

/** The number of the line with which Read says that it would go on. */
export function nextOffset(text: string): number | undefined {
  const found = /\boffset:? (\d+)\.?[\])]?\s*$/.exec(text.slice(-200))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** One path on each line; notices stand in brackets or are sentences. */
export function globPaths(text: string): string[] {
  return linesOf(text)
    .map((row) => row.trim())
    .filter((row) => row !== "" && !/^[[(<]/.test(row) && (!row.includes(" ") || /[\\/]/.test(row)))
    .filter((row) => !/^No files\b/i.test(row));
}

function linesOf(text: string, longest = MOST_LINE_LENGTH, most = MOST_LINES): string[] {
  const rows: string[] = [];
  for (let at = 0; at < text.length && rows.length < most; ) {
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    rows.push(text.slice(at, Math.min(stop, at + longest)).replace(/\r$/, ""));
    at = stop + 1;
  }
  return rows;
}
