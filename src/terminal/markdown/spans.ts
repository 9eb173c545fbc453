import { displayWidth } from "../display-width.ts";
import type { Paint } from "../output-stream.ts";
import { cutWord } from "../wrap.ts";

export type Format =
  | "blue"
  | "bold"
  | "cyan"
  | "dim"
  | "green"
  | "inverse"
  | "italic"
  | "magenta"
  | "red"
  | "strikethrough"
  | "underline"
  | "yellow";

/** Text of one look. Its text is safe for a terminal and has no tabs. */
export interface StyledSpan {
  readonly text: string;
  readonly formats: readonly Format[];
  /** Where a click leads, already encoded. */
  readonly target?: string;
}

/** From the first character to before the last, in UTF-16 units. */
type Range = readonly [start: number, end: number];

/** Wraps between words, and between Chinese, Japanese and Korean characters. A line feed ends a row. */
export function wrapSpans(spans: readonly StyledSpan[], columns: number): StyledSpan[][] {
  const ranges: Range[] = [];
  let from = 0;
  for (const line of spans
    .map(({ text }) => text)
    .join("")
    .split("\n")) {
    for (const [start, end] of breakLine(line, columns)) ranges.push([from + start, from + end]);
    from += line.length + 1;
  }
  return sliceSpans(spans, ranges);
}

/** Cuts one line wherever a row is full: in code, spaces count. */
export function cutSpans(spans: readonly StyledSpan[], columns: number): StyledSpan[][] {
  let from = 0;
  const ranges = cutWord(spans.map(({ text }) => text).join(""), columns).map((piece): Range => {
    const start = from;
    from += piece.length;
    return [start, from];
  });
  return sliceSpans(spans, ranges);
}

export function spansWidth(spans: readonly StyledSpan[]): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

export function drawSpans(spans: readonly StyledSpan[], paint: Paint): string {
  return spans
    .map(({ text, formats, target }) => {
      const painted = formats.length > 0 ? paint([...formats], text) : text;
      return target === undefined ? painted : `${link(target)}${painted}${link("")}`;
    })
    .join("");
}

/** OSC 8. */
function link(target: string): string {
  return `\u001b]8;;${target}\u0007`;
}

const WIDE =
  "[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff60\\u{20000}-\\u{3fffd}]";
/** Never the first in a row. */
const CLOSING = "[、。，．）」』】〉》！？：；…ー\\p{Mark}]";
const atoms = new RegExp(` +|${WIDE}${CLOSING}*|(?:(?!${WIDE})[^ ])+`, "gu");

function breakLine(line: string, columns: number): Range[] {
  const rows: Range[] = [];
  let [start, end, width] = [0, 0, 0];
  for (const { 0: atom, index } of line.matchAll(atoms)) {
    const wide = displayWidth(atom);
    if (atom.startsWith(" ")) {
      if (end > start) width += wide;
      continue;
    }
    if (end === start) start = index;
    if (width + wide <= columns) {
      end = index + atom.length;
      width += wide;
      continue;
    }
    if (end > start) rows.push([start, end]);
    start = index;
    const pieces = cutWord(atom, columns);
    for (const piece of pieces.slice(0, -1)) {
      rows.push([start, start + piece.length]);
      start += piece.length;
    }
    end = index + atom.length;
    width = displayWidth(pieces.at(-1) ?? "");
  }
  return end > start || rows.length === 0 ? [...rows, [start, end]] : rows;
}

/** The ranges are in order and do not overlap. */
function sliceSpans(spans: readonly StyledSpan[], ranges: readonly Range[]): StyledSpan[][] {
  let first = 0;
  let offset = 0;
  return ranges.map(([start, end]) => {
    const row: StyledSpan[] = [];
    for (let at = first, from = offset; at < spans.length && from < end; at += 1) {
      const span = spans[at];
      if (span === undefined) break;
      const text = span.text.slice(Math.max(0, start - from), end - from);
      if (text !== "") row.push({ ...span, text });
      from += span.text.length;
      if (from <= end) {
        first = at + 1;
        offset = from;
      }
    }
    return row;
  });
}
