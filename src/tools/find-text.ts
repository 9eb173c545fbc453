/** A range of a text, in UTF-16 units; `end` is the first one after it. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Places that are counted: more are not named to the model anyway, and in a file of equal lines each takes its time. */
const MAX_PLACES = 10_000;

/**
 * Finds every place of `wanted`, which is not empty; with `all` they do not overlap. A line feed in it stands for CRLF
 * too, unless it has carriage returns itself.
 */
export function findSpans(text: string, wanted: string, all: boolean): TextSpan[] {
  const isFolded = wanted.includes("\n") && !wanted.includes("\r") && text.includes("\r\n");
  const spans: TextSpan[] = [];
  const find = isFolded ? foldedSearch(text, wanted) : plainSearch(text, wanted);
  for (let span = find(0); span !== null && (all || spans.length < MAX_PLACES); ) {
    spans.push(span);
    span = find(all ? span.end : span.start + 1);
  }
  return spans;
}

function plainSearch(text: string, wanted: string): (from: number) => TextSpan | null {
  return (from) => {
    const start = text.indexOf(wanted, from);
    return start < 0 ? null : { start, end: start + wanted.length };
  };
}

function foldedSearch(text: string, wanted: string): (from: number) => TextSpan | null {
  const lines = wanted.split("\n").map((line) => line.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(lines.join("(?:\\r\\n|(?<!\\r)\\n)"), "g");
  return (from) => {
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    return match === null ? null : { start: match.index, end: match.index + match[0].length };
  };
}
