import type { Asker } from "../../../policy/asks.ts";
import type { Paint } from "../../colour.ts";
import { visibleLine, visibleText } from "../../visible-text.ts";
import { wrapText } from "../wrap.ts";

/** Where an ask is drawn. */
export interface Sheet {
  readonly paint: Paint;
  readonly columns: number;
}

/** Columns of the names, and of a terminal that has no room for such a column. */
const LABEL = 11;
const NARROW = 50;

/** Rows of one text that are shown before the rest is only counted. */
const FIRST_ROWS = 24;
const LAST_ROWS = 8;

/**
 * A name and what it is, every character of it visible. A long one is shown with its beginning and its end,
 * and says how much is between them, unless it is shown `whole`.
 */
export function field(name: string, value: string, sheet: Sheet, whole = false): readonly string[] {
  const narrow = sheet.columns < NARROW;
  const label = `  ${visibleLine(name)}${narrow ? ": " : "  "}`;
  const lead = narrow ? "    " : " ".repeat(Math.max(LABEL, label.length));
  const head = narrow ? label : label.padEnd(lead.length);
  const room = sheet.columns - head.length;
  const [first = "", ...others] = wrapText(visibleText(value), Math.max(1, room));
  return shortened([sheet.paint("dim", head) + first, ...others.map((row) => lead + row)], sheet, whole);
}

/** Whether something of it would not be shown. */
export function isLong(value: string, { columns }: Sheet): boolean {
  return wrapText(visibleText(value), Math.max(1, columns - LABEL)).length > FIRST_ROWS + LAST_ROWS;
}

export function shortened(rows: readonly string[], { paint }: Sheet, whole: boolean): readonly string[] {
  if (whole || rows.length <= FIRST_ROWS + LAST_ROWS) return rows;
  const between = rows.length - FIRST_ROWS - LAST_ROWS;
  return [
    ...rows.slice(0, FIRST_ROWS),
    paint("yellow", `    … ${between} more lines, not shown: v shows all of it`),
    ...rows.slice(-LAST_ROWS),
  ];
}

/** Who asks, with the path in the tree: "main conversation › Explore · find it". */
export function askersOf(askers: readonly Asker[]): string {
  return askers.map(({ path }) => path.map(visibleLine).join(" › ")).join("\n");
}

/** One possible answer and what it does. */
export function choiceRows(key: string, words: string, { paint, columns }: Sheet): string[] {
  const lead = `  ${key}  `;
  const rows = wrapText(words, columns, " ".repeat(lead.length));
  return rows.map((row, index) => (index === 0 ? `  ${paint("bold", key)}  ${row.slice(lead.length)}` : row));
}
