import type { Cursor } from "../../terminal/canvas/canvas.ts";
import { displayWidth } from "../../terminal/display-width.ts";
import { BREAK } from "./key-parser.ts";

export interface InputRows {
  readonly rows: readonly string[];
  readonly cursor: Cursor;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Returns the rows of an edited line and the position of its cursor. Later rows are indented to the first one's text.
 * Shows only the rows around the cursor if there are more than `most`.
 */
export function inputRows(
  prompt: string,
  { text, cursor }: { readonly text: string; readonly cursor: number },
  { columns, most }: { readonly columns: number; readonly most: number },
): InputRows {
  const indent = displayWidth(prompt);
  const lead = " ".repeat(indent);
  const rows = [prompt];
  let width = indent;
  let at: Cursor | undefined;
  const newRow = (): void => {
    rows.push(lead);
    width = indent;
  };
  for (const { segment, index } of graphemes.segment(text)) {
    const shown = segment === BREAK ? "" : shownAs(segment);
    const wide = displayWidth(shown);
    if (width + wide > columns && width > indent) newRow();
    if (index >= cursor) at ??= { row: rows.length - 1, column: width };
    if (segment === BREAK) newRow();
    else rows.push(`${rows.pop() ?? ""}${shown}`);
    if (segment !== BREAK) width += wide;
  }
  if (at === undefined && width >= columns && width > indent) newRow();
  at ??= { row: rows.length - 1, column: width };
  const first = Math.max(0, Math.min(at.row - Math.floor(most / 2), rows.length - most));
  return { rows: rows.slice(first, first + most), cursor: { ...at, row: at.row - first } };
}

/** A character that moves the cursor, or has no width, must be seen to be edited. */
function shownAs(segment: string): string {
  return segment.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => (character === "\t" ? " " : "·"));
}
