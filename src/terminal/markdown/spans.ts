import type { Paint } from "../colour.ts";
import { displayWidth } from "../display-width.ts";
import { breakLine, cutWord, type RowRange } from "../wrap.ts";

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

/** Wraps between words, and between Chinese, Japanese and Korean characters. A line feed ends a row. */
export function wrapSpans(spans: readonly StyledSpan[], columns: number): StyledSpan[][] {
  const ranges: RowRange[] = [];
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
  const ranges = cutWord(spans.map(({ text }) => text).join(""), columns).map((piece): RowRange => {
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

/** The ranges are in order and do not overlap. */
function sliceSpans(spans: readonly StyledSpan[], ranges: readonly RowRange[]): StyledSpan[][] {
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
