import type { Asker } from "../../../policy/user-requests.ts";
import type { Paint } from "../../../terminal/colour.ts";
import { visibleDense, visibleLine, visibleText } from "../../../terminal/safe-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";

/** Where a request is drawn. */
export interface Sheet {
  readonly paint: Paint;
  readonly columns: number;
}

/** Width of the column of names, and of a terminal too narrow for it. */
const LABEL = 14;
const NARROW = 50;

/** How many rows of a long text to show from its start and its end. */
interface Shown {
  readonly first: number;
  readonly last: number;
}

const FIELD: Shown = { first: 24, last: 8 };
/** A request that fits a small terminal shows its first row there. */
const SUBJECT: Shown = { first: 8, last: 4 };
/** The model's description must not push the call off the screen. */
export const WORDS: Shown = { first: 3, last: 1 };

/**
 * Returns the subject of the request, which comes first. Later rows start with a bar, so that no line of a command
 * looks like one of Troupe's.
 */
export function subjectRows(tool: string, subject: string, sheet: Sheet, whole = false): readonly string[] {
  const rows = subjectLines(tool, subject, sheet).map((row, index) =>
    index === 0 ? `  ${row}` : `${sheet.paint("dim", BAR)}${row}`,
  );
  const shown = whole ? rows : cutRows(rows, SUBJECT, sheet, `${subject.length} characters`);
  return shown.map((row) => sheet.paint("bold", row));
}

/** True if `subjectRows` leaves something out. */
export function isLongSubject(tool: string, subject: string, sheet: Sheet): boolean {
  return subjectLines(tool, subject, sheet).length > SUBJECT.first + SUBJECT.last;
}

function subjectLines(tool: string, subject: string, { columns }: Sheet): readonly string[] {
  return wrapText(`${visibleLine(tool)}  ${visibleDense(subject)}`, Math.max(1, columns - BAR.length));
}

const BAR = "  │ ";

/**
 * Formats a name and its value with every character visible. Cuts the middle of a long value and says how much is
 * missing, unless `whole`.
 */
export function field(
  name: string,
  value: string,
  sheet: Sheet,
  whole = false,
  part: Shown = FIELD,
): readonly string[] {
  const narrow = sheet.columns < NARROW;
  const label = `  ${visibleLine(name)}${narrow ? ": " : "  "}`;
  const lead = narrow ? "    " : " ".repeat(Math.max(LABEL, label.length));
  const head = narrow ? label : label.padEnd(lead.length);
  const room = sheet.columns - head.length;
  const [first = "", ...others] = wrapText(visibleText(value), Math.max(1, room));
  const rows = [sheet.paint("dim", head) + first, ...others.map((row) => lead + row)];
  return whole ? rows : cutRows(rows, part, sheet, `${value.length} characters`);
}

/** True if some of it would not be shown. */
export function isLong(value: string, { columns }: Sheet, part: Shown = FIELD): boolean {
  return wrapText(visibleText(value), Math.max(1, columns - LABEL)).length > part.first + part.last;
}

/** Cuts the middle, never the end. `of`: the full length. */
function cutRows(
  rows: readonly string[],
  { first, last }: Shown,
  { paint }: Sheet,
  of: string,
): readonly string[] {
  if (rows.length <= first + last) return rows;
  const between = rows.length - first - last;
  return [
    ...rows.slice(0, first),
    paint("yellow", `    … ${between} more lines, not shown (${of} in all): v shows all of it`),
    ...rows.slice(-last),
  ];
}

/** Formats who asks, with the path in the agent tree: "main conversation › Explore · find it". */
export function askersOf(askers: readonly Asker[]): string {
  return askers.map(({ path }) => path.map(visibleLine).join(" › ")).join("\n");
}
