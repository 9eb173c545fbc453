import { displayWidth } from "../terminal/display-width.ts";
import { safeLine } from "../terminal/safe-text.ts";
import type { CliIO } from "./process-io.ts";

/** Prints a value as JSON, for programs. */
export function printJson(io: Pick<CliIO, "stdout">, value: unknown): Promise<void> {
  return io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints lines for the user on standard error; null and undefined are left out. */
export async function printNotes(
  io: Pick<CliIO, "stderr">,
  lines: readonly (string | null | undefined)[],
): Promise<void> {
  for (const line of lines)
    if (line !== null && line !== undefined) await io.stderr.write(`${safeLine(line)}\n`);
}

/** A cell of a table; `paint` adds a colour to what was padded. */
export interface TableCell {
  readonly text: string;
  paint?(text: string): string;
}

/** Formats rows as lines with aligned columns. A cell wider than `widest` does not widen its column. */
export function tableLines(
  rows: readonly (readonly (string | TableCell)[])[],
  { lead = "", widest = Number.POSITIVE_INFINITY }: { lead?: string; widest?: number } = {},
): string[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(
      0,
      ...cells.map((row) => displayWidth(row[column]?.text ?? "")).filter((width) => width <= widest),
    ),
  );
  return cells.map((row) => {
    const padded = row.map(({ text, paint = (same) => same }: TableCell, column) => {
      const isLast = column === row.length - 1;
      return (
        paint(text) + (isLast ? "" : " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(text))))
      );
    });
    return `${lead}${padded.join("  ")}`.trimEnd();
  });
}
