import { ASCII, graphemesOf, graphemeWidth } from "../display-width.ts";

/** One grapheme of a row, with the escape sequences that set its style and its link. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** Canonical: equal styles are equal strings; empty if plain. */
  readonly style: string;
}

/** Characters that join others to one grapheme, or are part of one. */
const JOINING = /[\p{M}\p{Cf}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]|[\u{10000}-\u{10ffff}]/u;
const ESC = "\u001b";
/** A style, or the beginning or end of a link. */
const SEQUENCE = new RegExp(`${ESC}\\[([\\d;:]*)m|${ESC}\\]8;([^\u0007${ESC}]*)(?:\u0007|${ESC}\\\\)`, "y");

/** Parses a row; a tab counts as spaces, because its width depends on the terminal. */
export function parseCells(row: string): Cell[] {
  const text = row.replaceAll("\t", "    ");
  const cells: Cell[] = [];
  const codes = new Map<string, string>();
  let link = "";
  let style = "";
  for (let at = 0; at < text.length; ) {
    SEQUENCE.lastIndex = at;
    const sequence = SEQUENCE.exec(text);
    if (sequence) {
      if (sequence[1] !== undefined) applyStyle(codes, sequence[1]);
      else link = sequence[2] === ";" ? "" : sequence[0];
      style = (codes.size > 0 ? `${ESC}[${[...codes.values()].toSorted().join(";")}m` : "") + link;
      at += sequence[0].length;
      continue;
    }
    const next = text.indexOf(ESC, at + 1);
    const end = next < 0 ? text.length : next;
    addText(cells, text.slice(at, end).replace(/\p{Cc}/gu, ""), style);
    at = end;
  }
  return cells;
}

export function cellsWidth(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/** Returns the cells as text that begins and ends without a style. */
export function renderCells(cells: readonly Cell[]): string {
  let text = "";
  let style = "";
  for (const cell of cells) {
    if (cell.style !== style) text += plainAfter(style) + cell.style;
    style = cell.style;
    text += cell.text;
  }
  return text + plainAfter(style);
}

/** Returns the cells that fit these columns. */
export function cutCells(
  cells: readonly Cell[],
  columns: number,
  widthOf = ({ width }: Cell): number => width,
): readonly Cell[] {
  let width = 0;
  const end = cells.findIndex((cell) => {
    width += widthOf(cell);
    return width > columns;
  });
  return end < 0 ? cells : cells.slice(0, end);
}

/** Returns the columns on a terminal that does not join characters. */
function widestWidth({ text, width }: Cell): number {
  return text.length > 1 ? [...text].reduce((sum, character) => sum + graphemeWidth(character), 0) : width;
}

/**
 * Wraps a line between words, and in the middle of a word that is wider than a row; each row carries its own styles. Widths
 * are those of a terminal that does not join characters, so no terminal cuts a row off.
 */
export function wrapCells(line: string, columns: number): string[] {
  if (line.length <= columns && ASCII.test(line)) return [line];
  const cells = parseCells(line);
  if (cutCells(cells, columns, widestWidth).length === cells.length) return [line.replaceAll("\t", "    ")];
  const rows: string[] = [];
  for (let from = 0; from < cells.length; ) {
    const fits = from + Math.max(1, cutCells(cells.slice(from), columns, widestWidth).length);
    const space =
      fits < cells.length ? cells.slice(from, fits + 1).findLastIndex(({ text }) => text === " ") : -1;
    const end = space > 0 ? from + space : fits;
    rows.push(renderCells(cells.slice(from, end)));
    from = cells[end]?.text === " " ? end + 1 : end;
  }
  return rows;
}

function addText(cells: Cell[], text: string, style: string): void {
  if (ASCII.test(text)) {
    for (const character of text) cells.push({ text: character, width: 1, style });
    return;
  }
  const pieces = JOINING.test(text) ? graphemesOf(text) : text;
  for (const piece of pieces) {
    const width = graphemeWidth(piece);
    const last = cells.at(-1);
    // What has no width belongs to the cell before it.
    if (width === 0 && last) cells[cells.length - 1] = { ...last, text: last.text + piece };
    else cells.push({ text: piece, width, style });
  }
}

function plainAfter(style: string): string {
  if (style === "") return "";
  return style.includes("]8;") ? `${ESC}]8;;\u0007${ESC}[m` : `${ESC}[m`;
}

/** Applies a style's numbers: each replaces or ends the one of its group. */
function applyStyle(codes: Map<string, string>, parameters: string): void {
  const numbers = parameters.split(";");
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? "";
    const number = Number.parseInt(code, 10) || 0;
    const group = groupOf(number);
    if (number === 0) codes.clear();
    else if (group === null) for (const ended of ENDED[number] ?? []) codes.delete(ended);
    else if ((number === 38 || number === 48) && !code.includes(":")) {
      const length = numbers[at + 1] === "2" ? 5 : 3;
      codes.set(group, numbers.slice(at, at + length).join(";"));
      at += length - 1;
    } else codes.set(group, code);
  }
}

const ENDED: Readonly<Record<number, readonly string[]>> = {
  22: ["1", "2"],
  23: ["3"],
  24: ["4", "21"],
  25: ["5"],
  27: ["7"],
  28: ["8"],
  29: ["9"],
  39: ["foreground"],
  49: ["background"],
};

/** Returns null for a number that ends something. */
function groupOf(number: number): string | null {
  if (number in ENDED) return null;
  if ((number >= 30 && number <= 38) || (number >= 90 && number <= 97)) return "foreground";
  if ((number >= 40 && number <= 48) || (number >= 100 && number <= 107)) return "background";
  return String(number);
}
