import { usesCrlf, withCrlf } from "./text-lines.ts";

/** How `old_string` was read to find it. */
export type TextReading = "exact" | "without line numbers" | "with straight quotes" | "both";

export type Replacement =
  | {
      readonly type: "replaced";
      readonly text: string;
      readonly count: number;
      readonly reading: TextReading;
      /** Line of the first change, from 1. */
      readonly line: number;
    }
  | { readonly type: "missing" }
  | { readonly type: "ambiguous"; readonly count: number; readonly lines: readonly number[] };

interface Attempt {
  readonly reading: TextReading;
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
}

const LINES_NAMED = 10;

/**
 * Replaces one text by another in its only place, or in `all`. Line ends are matched as Read shows them, and the new text
 * gets those of its place. Only if the exact text does not occur, it is searched for without the line numbers of Read, then
 * with straight quotes for curly ones (A9.5, A9.6); the first reading that occurs once (or with `all`, anywhere) counts.
 */
export function replaceText(text: string, old: string, fresh: string, all: boolean): Replacement {
  // An empty text would be found everywhere.
  if (old === "") return { type: "missing" };
  let ambiguous: Replacement | undefined;
  for (const attempt of attempts(text, old, fresh)) {
    const spans = findSpans(attempt.text, attempt.old, all);
    const [first] = spans;
    if (first === undefined) continue;
    if (spans.length === 1 || all)
      return {
        type: "replaced",
        text: spliced(text, spans, attempt),
        count: spans.length,
        reading: attempt.reading,
        line: lineAt(text, first.start),
      };
    ambiguous ??= {
      type: "ambiguous",
      count: spans.length,
      lines: [...new Set(spans.slice(0, LINES_NAMED).map(({ start }) => lineAt(text, start)))],
    };
    if (attempt.reading === "exact") break;
  }
  return ambiguous ?? { type: "missing" };
}

function* attempts(text: string, old: string, fresh: string): Generator<Attempt> {
  yield { reading: "exact", text, old, fresh };
  const bare = { old: withoutLineNumbers(old), fresh: withoutLineNumbers(fresh) };
  const numbered = bare.old !== old && bare.old !== "";
  if (numbered) yield { reading: "without line numbers", text, ...bare };
  // A curly quote and a straight one are both one character: positions stay the same.
  const straight = { text: withStraightQuotes(text), old: withStraightQuotes(old) };
  if (straight.text === text && straight.old === old) return;
  yield { reading: "with straight quotes", ...straight, fresh };
  if (numbered)
    yield { reading: "both", text: straight.text, old: withStraightQuotes(bare.old), fresh: bare.fresh };
}

/** A number and a tab, as Read shows them, or spaces, a number and an arrow (A22.12). */
function withoutLineNumbers(text: string): string {
  return text.replace(/^[^\S\n]*\d+(?:\t|→)/gm, "");
}

function withStraightQuotes(text: string): string {
  return text.replace(/[“”„‟]/g, '"').replace(/[‘’‚‛]/g, "'");
}

function spliced(text: string, spans: readonly TextSpan[], attempt: Attempt): string {
  const lineEnds = endsFor(text, attempt);
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(text.slice(from, start), lineEnds(text.slice(start, end)));
    from = end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** Returns what replaces a piece of text: with its line ends if it has any, else with the file's. */
function endsFor(text: string, { old, fresh }: Attempt): (replaced: string) => string {
  const asItIs = old.includes("\r") || fresh.includes("\r") || !fresh.includes("\n");
  if (asItIs || !text.includes("\r\n")) return () => fresh;
  const crlf = withCrlf(fresh);
  const usual = usesCrlf(text) ? crlf : fresh;
  return (replaced) => {
    if (replaced.includes("\r\n")) return crlf;
    return replaced.includes("\n") ? fresh : usual;
  };
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < position; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** A range of a text, in UTF-16 units; `end` is the first one after it. */
interface TextSpan {
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
