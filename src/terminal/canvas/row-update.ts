import { type Cell, cellsWidth, cutCells, parseCells, renderCells } from "./cells.ts";

const ESC = "\u001b[";

/** A painted row that fits the terminal. */
export interface PaintedRow {
  readonly text: string;
  /** The row that this was cut from. */
  readonly source: string;
  readonly cells: readonly Cell[];
  /** Terminals disagree about its width, so nothing can be written into the middle of it. */
  readonly isDoubtful: boolean;
}

/** Emoji, joiners, variation selectors, combining marks, all outside the BMP, and two vowels that xterm.js gives no width. */
const DOUBTFUL = /\p{M}|\p{Extended_Pictographic}|\p{Cf}|[\u0e33\u0eb3]|[\u{10000}-\u{10ffff}]/u;

/** True if terminals disagree about the width of the text. */
export function hasDoubtfulWidth(text: string): boolean {
  return DOUBTFUL.test(text);
}

/** Runs of changed cells closer than this are written as one: a cursor movement takes as many bytes. */
const JOINED = 6;

export const EMPTY_ROW: PaintedRow = { text: "", source: "", cells: [], isDoubtful: false };

export function parseRow(source: string, columns: number): PaintedRow {
  const all = parseCells(source);
  const cells = cutCells(all, columns);
  const text = cells === all && !source.includes("\t") ? source : renderCells(cells);
  return { text, source, cells, isDoubtful: hasDoubtfulWidth(text) };
}

/** Returns what turns one row into the other, wherever in the row the cursor is. */
export function updateRow(before: PaintedRow, after: PaintedRow): string {
  if (before.isDoubtful || after.isDoubtful) return `\r${ESC}K${after.text}`;
  const old = atColumns(before.cells);
  const isSame = (cell: Cell, column: number): boolean => {
    const other = old.get(column);
    return other?.text === cell.text && other.style === cell.style;
  };
  let written = "";
  let run: Cell[] = [];
  /** Unchanged cells after the run. */
  let gap: Cell[] = [];
  let column = 0;
  let runAt = 0;
  const flush = (): void => {
    if (run.length > 0) written += `${ESC}${runAt + 1}G${renderCells(run)}`;
    run = [];
    gap = [];
  };
  for (const cell of after.cells) {
    if (!isSame(cell, column)) {
      if (run.length === 0) runAt = column;
      run.push(...gap, cell);
      gap = [];
    } else if (run.length > 0) {
      gap.push(cell);
      if (cellsWidth(gap) >= JOINED) flush();
    }
    column += cell.width;
  }
  flush();
  return cellsWidth(before.cells) > column ? `${written}${ESC}${column + 1}G${ESC}K` : written;
}

function atColumns(cells: readonly Cell[]): Map<number, Cell> {
  const found = new Map<number, Cell>();
  let column = 0;
  for (const cell of cells) {
    found.set(column, cell);
    column += cell.width;
  }
  return found;
}
