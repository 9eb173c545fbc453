import type { Outlet } from "../output-stream.ts";
import { cellsWidth, parseCells, wrapCells } from "./cells.ts";
import { EMPTY_ROW, hasDoubtfulWidth, type PaintedRow, parseRow, updateRow } from "./row-update.ts";

export interface Cursor {
  /** Row in the painted lines, from 0. */
  readonly row: number;
  readonly column: number;
}

const ESC = "\u001b[";
/** Lines that stay, for drawing them again in another width. */
const KEPT_LINES = 400;

/**
 * The last lines of a terminal, with the cursor inside them.
 * Each frame is one write that a terminal shows as a whole, with line wrapping off inside. Nothing is erased outside a frame,
 * scrollback never. The cursor is never hidden, so nothing must be restored however the process ends.
 */
export function createCanvas(outlet: Outlet) {
  let before: readonly PaintedRow[] = [EMPTY_ROW];
  let at: Cursor = { row: 0, column: 0 };
  let size = outlet.size();
  /** The start is drawn like a resize: the cursor may be behind something. */
  let isValid = false;
  let kept: string[] = [];
  /** True if `kept` has every line since the start. */
  let hasAll = true;
  /** Lines of `kept` that were drawn for the size as it is. */
  let drawnLines = 0;

  const keep = (stay: readonly string[]): void => {
    kept.push(...stay);
    drawnLines += stay.length;
    if (kept.length <= KEPT_LINES) return;
    hasAll = false;
    kept = kept.slice(-KEPT_LINES);
  };

  /** Returns the rows of the last kept lines: all that a terminal can show in this room, which breaks lines anywhere. */
  const lastRows = (room: number): string[] => {
    const lines: string[] = [];
    drawnLines = 0;
    for (let left = room, index = kept.length - 1; index >= 0 && left > 0; index--) {
      const line = kept[index] ?? "";
      left -= hasDoubtfulWidth(line) ? 1 : rowsOf(line, size.columns);
      lines.unshift(...wrapCells(line, size.columns));
      drawnLines += 1;
    }
    return lines;
  };

  /**
   * Draws everything for the size as it is now. How a terminal has broken the old rows is not known, so all of the screen is
   * drawn. Only if everything since the start fits, what was there before stays: then a wrong guess only hits the border.
   */
  const drawAll = (stay: readonly string[], rows: readonly PaintedRow[], now: typeof size): string => {
    const drawn = drawnLines === 0 ? [] : kept.slice(-drawnLines);
    const drawnRows = drawn.flatMap((line) => wrapCells(line, size.columns));
    const isResized = now.rows !== size.rows || now.columns !== size.columns;
    size = now;
    const fresh = stay.flatMap((line) => wrapCells(line, size.columns));
    // A terminal made lower may have dropped the painted rows below the cursor.
    const painted = isResized ? Math.min(at.row + 1, rows.length + fresh.length) : before.length;
    const room = size.rows - painted;
    const fits = hasAll && kept.flatMap((line) => wrapCells(line, size.columns)).length <= Math.max(0, room);
    const above = [...drawnRows, ...before.slice(0, at.row).map(({ text }) => text)];
    const up = above.reduce(
      (sum, row) => sum + rowsOf(row, size.columns),
      Math.floor(at.column / size.columns),
    );
    const home = fits ? `\r${up > 0 ? `${ESC}${up}A` : ""}` : `${ESC}H`;
    const lines = [...lastRows(room), ...fresh].map((row) => `${row}\r\n`).join("");
    return `${home}${ESC}J${lines}${rows.map(({ text }) => text).join("\r\n")}`;
  };

  /** Changes only what differs. `row` counts from the first painted row. */
  const drawChanges = (stay: readonly string[], rows: readonly PaintedRow[], cursor: Cursor): string => {
    let frame = "";
    let row = at.row;
    const moveTo = (wanted: number): void => {
      if (wanted < row) frame += `${ESC}${row - wanted}A`;
      else if (wanted > row) frame += `${ESC}${wanted - row}B`;
      row = wanted;
    };
    const fresh = stay.flatMap((line) => wrapCells(line, size.columns));
    if (fresh.length > size.rows - before.length) {
      moveTo(0);
      frame += `\r${ESC}J${fresh.map((line) => `${line}\r\n`).join("")}`;
      before = [EMPTY_ROW];
    } else if (fresh.length > 0) {
      const [first = ""] = fresh;
      const top = before[0] ?? EMPTY_ROW;
      // The row that grows becomes one that stays where it is.
      const skip = top.text !== "" && first.startsWith(top.text) ? 1 : 0;
      moveTo(before.length - 1);
      frame += `\r${"\n".repeat(fresh.length)}`;
      row += fresh.length;
      if (skip === 1) {
        moveTo(0);
        frame += updateRow(top, parseRow(first, size.columns));
      }
      moveTo(skip);
      frame += "\r";
      if (skip < before.length) frame += `${ESC}${fresh.length}L`;
      frame += fresh.slice(skip).join("\r\n");
      row += Math.max(0, fresh.length - skip - 1) - fresh.length;
      if (skip === 1) before = [EMPTY_ROW, ...before.slice(1)];
    }
    for (const [index, after] of rows.entries()) {
      const old = before[index];
      if (old === after) continue;
      if (old !== undefined) {
        const update = updateRow(old, after);
        if (update === "") continue;
        moveTo(index);
        frame += update;
      } else {
        moveTo(index - 1);
        frame += `\r\n${after.text}`;
        row = index;
      }
    }
    if (before.length > rows.length) {
      moveTo(rows.length);
      frame += `\r${ESC}J`;
    }
    if (frame === "" && cursor.row === at.row && cursor.column === at.column) return "";
    moveTo(cursor.row);
    return `${frame}${ESC}${cursor.column + 1}G`;
  };

  return {
    /**
     * Inserts lines that stay above the painted ones, then paints these; a frame that changes nothing writes nothing.
     * Lines that stay are wrapped, and painted ones are cut to the terminal.
     */
    show(stay: readonly string[], painted: readonly string[], cursor: Cursor): void {
      const now = outlet.size();
      const isNew = !isValid || now.columns !== size.columns || now.rows !== size.rows;
      // The cursor is in one of the rows that remain.
      const cut = Math.max(0, Math.min(painted.length - now.rows, cursor.row));
      const shown = painted.length === 0 ? [""] : painted.slice(cut, cut + now.rows);
      const rows = shown.map((text, index) => {
        const old = isNew ? undefined : before[index];
        return old?.source === text ? old : parseRow(text, now.columns);
      });
      const wanted = { row: cursor.row - cut, column: Math.min(cursor.column, now.columns - 1) };
      let frame: string;
      if (isNew) {
        const up = rows.length - 1 - wanted.row;
        frame = `${drawAll(stay, rows, now)}${up > 0 ? `${ESC}${up}A` : ""}${ESC}${wanted.column + 1}G`;
      } else frame = drawChanges(stay, rows, wanted);
      keep(stay);
      isValid = true;
      before = rows;
      at = wanted;
      // The end of input reports a closed terminal.
      if (frame !== "") outlet.write(`${ESC}?2026h${ESC}?7l${frame}${ESC}?7h${ESC}?2026l`).catch(() => {});
    },
    /** Draws everything again with the next frame: the terminal may show anything. */
    invalidate() {
      isValid = false;
    },
  };
}

/** Returns the rows that a terminal made narrower has broken this row into. */
function rowsOf(row: string, columns: number): number {
  return Math.max(1, Math.ceil(cellsWidth(parseCells(row)) / columns));
}
