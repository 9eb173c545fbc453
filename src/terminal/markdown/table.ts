import { hasLooks, inlineSpans, type MarkdownPage } from "./inline.ts";
import type { Tokens } from "./lexer.ts";
import { drawSpans, type StyledSpan, spansWidth, wrapSpans } from "./spans.ts";

type Align = Tokens.Table["align"][number];

/** Under this many columns a table is shown as "name: value". */
const NARROW = 40;
const LEAST = 8;
const BETWEEN = 3;

/** How wide the columns of a table would like to be. Rows that come later get the same. */
export interface TableWidths {
  readonly header: readonly (readonly StyledSpan[])[];
  readonly wanted: readonly number[];
  /** Later rows also get a line between them, so that wrapped ones stay apart. */
  readonly wraps: boolean;
}

interface TablePart {
  readonly table: Tokens.Table;
  /** Of an earlier part of the same table, or null in its first. */
  readonly before: TableWidths | null;
}

/** Returns the rows of a table, or of a later part of it. */
export function tableRows(
  { table, before }: TablePart,
  page: MarkdownPage,
): { rows: string[]; widths: TableWidths } {
  const header = before?.header ?? table.header.map(({ text }) => inlineSpans(text, page, ["bold"]));
  const body = table.rows.map((row) => row.map(({ text }) => inlineSpans(text, page)));
  const wanted =
    before?.wanted ?? header.map((name, at) => widest([name, ...body.map((row) => row[at] ?? [])]));
  const fitted = page.columns < NARROW ? null : fitColumns(wanted, page.columns);
  if (fitted === null) {
    const rows = body.flatMap((row, index) => [
      ...(index > 0 || before !== null ? [""] : []),
      ...record(header, row, page),
    ]);
    return { rows, widths: { header, wanted, wraps: false } };
  }
  const line = (cells: readonly (readonly StyledSpan[])[]) => cellRows(cells, fitted, table.align, page);
  const records = body.map(line);
  const wraps = before?.wraps ?? records.some((rows) => rows.length > 1);
  const rule = page.paint("dim", fitted.map((width) => "─".repeat(width)).join("─┼─"));
  const rows = records.flatMap((each, index) => [
    ...(wraps && (index > 0 || before !== null) ? [rule] : []),
    ...each,
  ]);
  const top = before === null ? [...line(header), rule] : [];
  return { rows: [...top, ...rows], widths: { header, wanted, wraps } };
}

function widest(cells: readonly (readonly StyledSpan[])[]): number {
  return Math.max(1, ...cells.map(cellWidth));
}

/** `<br>` breaks the line of a cell. */
function cellWidth(cell: readonly StyledSpan[]): number {
  if (!cell.some(({ text }) => text.includes("\n"))) return spansWidth(cell);
  return Math.max(...wrapSpans(cell, Number.MAX_SAFE_INTEGER).map(spansWidth));
}

/** Makes the widest columns narrower until all fit; null if one would become too narrow to read. */
function fitColumns(wanted: readonly number[], columns: number): number[] | null {
  const room = columns - BETWEEN * (wanted.length - 1);
  const most = (cap: number) => wanted.reduce((sum, width) => sum + Math.min(width, cap), 0);
  if (most(LEAST) > room) return null;
  let cap = Math.max(LEAST, Math.min(room, Math.max(...wanted)));
  while (most(cap) > room) cap -= 1;
  // What is left over is less than one column for each of the widest.
  let left = room - most(cap);
  return wanted.map((width) => {
    if (width <= cap || left === 0) return Math.min(width, cap);
    left -= 1;
    return cap + 1;
  });
}

function cellRows(
  cells: readonly (readonly StyledSpan[])[],
  widths: readonly number[],
  align: readonly Align[],
  page: MarkdownPage,
): string[] {
  const wrapped = widths.map((width, at) => wrapSpans(cells[at] ?? [], width));
  const height = Math.max(1, ...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    widths
      .map((width, at) => place(wrapped[at]?.[row] ?? [], width, align[at] ?? null, page))
      .join(page.paint("dim", " │ "))
      .trimEnd(),
  );
}

function place(cell: readonly StyledSpan[], width: number, align: Align, { paint }: MarkdownPage): string {
  const free = Math.max(0, width - spansWidth(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return " ".repeat(before) + drawSpans(cell, paint) + " ".repeat(free - before);
}

function record(
  header: readonly (readonly StyledSpan[])[],
  row: readonly (readonly StyledSpan[])[],
  page: MarkdownPage,
): string[] {
  return header.flatMap((name, at) => {
    const value = row[at] ?? [];
    if (value.length === 0) return [];
    const mark: StyledSpan = { text: ": ", formats: hasLooks(page) ? ["bold"] : [] };
    return wrapSpans(name.length > 0 ? [...name, mark, ...value] : value, page.columns).map((each) =>
      drawSpans(each, page.paint),
    );
  });
}
