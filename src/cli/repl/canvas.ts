import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "../../terminal/display-width.ts";
import type { Outlet } from "../../terminal/output-stream.ts";

export interface Cursor {
  /** Row in the painted lines, from 0. */
  readonly row: number;
  readonly column: number;
}

/** The last lines of a terminal, with the cursor inside them. */
export interface Canvas {
  /** Writes permanent lines, then paints the others below them; the painted ones must fit the terminal. */
  show(stay: readonly string[], painted: readonly string[], cursor: Cursor): void;
}

const ESC = "\u001b[";

/**
 * Each frame is one write, with line wrapping off for painted lines. The cursor is never hidden, so nothing must be
 * restored however the process ends.
 */
export function createCanvas(outlet: Outlet): Canvas {
  let before: readonly string[] = [];
  let at: Cursor = { row: 0, column: 0 };

  /** Moves to the first painted line. A terminal that became narrower has wrapped the longer ones. */
  const home = (): string => {
    const { columns, rows } = outlet.size();
    const above = before.slice(0, at.row);
    const taken = above.reduce((sum, line) => sum + Math.max(1, Math.ceil(plainWidth(line) / columns)), 0);
    const up = Math.min(taken + Math.floor(at.column / columns), rows - 1);
    return up > 0 ? `\r${ESC}${up}A` : "\r";
  };

  return {
    show(stay, painted, cursor) {
      const kept = stay.map((line) => `${line}\n`).join("");
      const lines = painted.map((line) => `${ESC}K${line}`).join("\n");
      const up = painted.length - 1 - cursor.row;
      const back = `\r${up > 0 ? `${ESC}${up}A` : ""}${cursor.column > 0 ? `${ESC}${cursor.column}C` : ""}`;
      // The terminal may wrap permanent lines, so everything is cleared first.
      const frame = `${home()}${kept && `${ESC}J`}${kept}${ESC}?7l${lines}${ESC}J${ESC}?7h${back}`;
      before = painted;
      at = cursor;
      // The end of input reports a closed terminal.
      outlet.write(frame).catch(() => {});
    },
  };
}

function plainWidth(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}
