import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "../display-width.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What a terminal would widen by an amount of its own. */
const TAB = "    ";

/**
 * The rows of one line of plain text in so many columns, broken between words. Later rows stand below the
 * first one's text: behind its spaces and its bullet. Text that is appended to the line changes no row but
 * the last.
 */
export function wrapLine(line: string, columns: number): string[] {
  const text = line.replaceAll("\t", TAB);
  const lead = /^ *(?:(?:[-*•›]|\d{1,3}[.)]) +)?/.exec(text)?.[0] ?? "";
  const indent = " ".repeat(lead.length > columns / 2 ? 0 : lead.length);
  const rows: string[] = [];
  let row = lead;
  let width = lead.length;
  for (const word of text.slice(lead.length).match(/ *[^ ]+| +$/g) ?? []) {
    const wide = plainWidth(word);
    if (width + wide <= columns) {
      row += word;
      width += wide;
      continue;
    }
    if (row.trim() !== "") {
      rows.push(row);
      row = indent;
    }
    const pieces = cutWord(word.trimStart(), Math.max(1, columns - row.length));
    rows.push(...pieces.slice(0, -1).map((piece) => row + piece));
    row += pieces.at(-1) ?? "";
    width = plainWidth(row);
  }
  return [...rows, row].map((each) => each.trimEnd());
}

/** Every line of the text, wrapped, each behind the same lead. */
export function wrapText(text: string, columns: number, lead = ""): string[] {
  const room = Math.max(1, columns - displayWidth(lead));
  return text.split("\n").flatMap((line) => wrapLine(line, room).map((row) => (lead + row).trimEnd()));
}

/** Colours take no room. */
function plainWidth(text: string): number {
  return text.includes("\u001b") ? displayWidth(stripVTControlCharacters(text)) : displayWidth(text);
}

/** A word that no row has room for. */
function cutWord(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of graphemes.segment(word)) {
    const wide = displayWidth(segment);
    if (width + wide > columns && piece !== "") {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += segment;
    width += wide;
  }
  return [...pieces, piece];
}
