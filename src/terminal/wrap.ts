import { stripVTControlCharacters } from "node:util";
import { displayWidth, graphemesOf, WIDE } from "./display-width.ts";

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
  const body = text.slice(lead.length);
  return breakLine(body, columns - indent.length, columns - lead.length).map(([start, end], index) =>
    `${index === 0 ? lead : indent}${body.slice(start, end)}`.trimEnd(),
  );
}

/** From the first character to before the last, in UTF-16 units. */
export type RowRange = readonly [start: number, end: number];

/** Never the first in a row. */
const CLOSING = "[、。，．）」』】〉》！？：；…ー\\p{Mark}]";
const atoms = new RegExp(` +|${WIDE}${CLOSING}*|(?:(?!${WIDE})[^ ])+`, "gu");

/** Wraps between words, and between Chinese, Japanese and Korean characters. The first row may have less room. */
export function breakLine(line: string, columns: number, firstColumns = columns): RowRange[] {
  const rows: RowRange[] = [];
  let [start, end, width, room] = [0, 0, 0, firstColumns];
  const endRow = (at: number): void => {
    rows.push([start, at]);
    room = columns;
  };
  for (const { 0: atom, index } of line.matchAll(atoms)) {
    const wide = plainWidth(atom);
    if (atom.startsWith(" ")) {
      if (end > start) width += wide;
      continue;
    }
    if (end === start) start = index;
    if (width + wide <= room) {
      end = index + atom.length;
      width += wide;
      continue;
    }
    if (end > start) endRow(end);
    start = index;
    const pieces = cutWord(atom, Math.max(1, room));
    for (const piece of pieces.slice(0, -1)) {
      endRow(start + piece.length);
      start += piece.length;
    }
    end = index + atom.length;
    width = plainWidth(pieces.at(-1) ?? "");
  }
  return end > start || rows.length === 0 ? [...rows, [start, end]] : rows;
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
  for (const segment of graphemesOf(word)) {
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
