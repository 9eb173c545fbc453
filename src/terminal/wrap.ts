import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "./display-width.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Replaces a tab, whose width depends on the terminal. */
const TAB = "    ";

/**
 * Wraps one line of plain text between words. Later rows are indented to the first one's text, after its spaces and its
 * bullet. Appending text changes only the last row.
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

/** Wraps every line of the text, each after the same lead. */
export function wrapText(text: string, columns: number, lead = ""): string[] {
  const room = Math.max(1, columns - displayWidth(lead));
  return text.split("\n").flatMap((line) => wrapLine(line, room).map((row) => (lead + row).trimEnd()));
}

/** Colours have no width. */
function plainWidth(text: string): number {
  return text.includes("\u001b") ? displayWidth(stripVTControlCharacters(text)) : displayWidth(text);
}

/** Cuts a word that is wider than a row. */
export function cutWord(word: string, columns: number): string[] {
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
