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

/**
 * Wraps a row of columns, which two spaces or more separate: later rows are indented to the last column for which there is
 * room. Without such a column, the first one has a row of its own.
 */
export function wrapRow(row: string, columns: number): string[] {
  if (plainWidth(row) <= columns) return [row.trimEnd()];
  const cuts = [...row.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => {
    const at = index + gap.length;
    const rest = row.slice(at);
    const longest = Math.max(...rest.split(/ +/).map(plainWidth));
    return { head: row.slice(0, at), rest, start: plainWidth(row.slice(0, at)), longest };
  });
  const [first] = cuts;
  if (first === undefined) return wrapLine(row, columns);
  const best = cuts.findLast(({ start, longest }) => start <= columns / 2 && longest <= columns - start);
  const { head, rest, start } = best ?? { ...first, start: HANGING };
  const [beside = "", ...others] = wrapLine(rest, columns - start);
  const below = others.map((each) => " ".repeat(start) + each);
  if (best) return [head + beside, ...below];
  return [...wrapLine(head.trimEnd(), columns), " ".repeat(start) + beside, ...below];
}

const HANGING = 2;

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
