/** A line of a report, and its position. */
export interface ReportLine {
  readonly text: string;
  /** True within a fenced block. */
  readonly fenced: boolean;
}

/** Splits a report into lines, without the fences. An unclosed block extends to the end. */
export function splitReport(report: string): ReportLine[] {
  const lines: ReportLine[] = [];
  let open: string | null = null;
  for (const text of report.split(/\r?\n/)) {
    const [, mark, info = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (open === null && mark !== undefined) open = mark;
    else if (open !== null && mark?.startsWith(open) && info.trim() === "") open = null;
    else lines.push({ text, fenced: open !== null });
  }
  return lines;
}

/** Returns the sentences of a line; a table row is one sentence. */
export function sentencesOf(line: string): string[] {
  if (/^\s*\|/.test(line)) return [line];
  return line.split(/(?<=[.!?;])\s+|(?<=[。！？；])/).filter((sentence) => sentence.trim() !== "");
}

/** Characters around a position that are read: a long text must not be read again for each. */
export const AROUND = 300;
