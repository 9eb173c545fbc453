import { stripVTControlCharacters } from "node:util";
import { displayWidth } from "../terminal/display-width.ts";
import type { Outlet } from "../terminal/output-stream.ts";

/** Lines at the bottom of a terminal that are repainted. */
export interface Painter {
  paint(lines: readonly string[]): void;
  /** Prints a line that stays, above the painted ones; a long one is wrapped, not cut. */
  print(line: string): void;
  /** Leaves what is painted; what is written next comes below it. */
  keep(): void;
}

const ESC = "\u001b[";

/**
 * Owns the last lines of a terminal. The cursor always rests below them, at the start of a line, and is
 * never hidden: so there is nothing to restore, on whatever path the process ends. Each frame is one write,
 * with line wrapping off only inside it.
 */
export function createPainter(outlet: Outlet): Painter {
  let painted: readonly string[] = [];

  /** To the first painted line. A terminal made narrower since then has broken the longer ones. */
  const home = (): string => {
    const { columns, rows } = outlet.size();
    const taken = painted.reduce((sum, line) => sum + Math.max(1, Math.ceil(plainWidth(line) / columns)), 0);
    const up = Math.min(taken, rows - 1);
    return up > 0 ? `\r${ESC}${up}A` : "\r";
  };

  const write = (before: readonly string[], lines: readonly string[]): void => {
    const ended = (line: string): string => `${line}${ESC}K\n`;
    const stays = before.map(ended).join("");
    const frame = `${home()}${stays}${ESC}?7l${lines.map(ended).join("")}${ESC}J${ESC}?7h`;
    painted = lines;
    // Progress that cannot be shown must not stop the work; the results' own writes report a full disk.
    outlet.write(frame).catch(() => {});
  };

  return {
    paint: (lines) => write([], lines),
    print: (line) => write([line], painted),
    keep() {
      painted = [];
    },
  };
}

function plainWidth(line: string): number {
  return displayWidth(stripVTControlCharacters(line));
}
