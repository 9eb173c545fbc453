import type { DiffHunk } from "../lib/file-diff.ts";
import { findHunks } from "./file-diff.ts";

/** The size of a diff; the rest is counted. */
export interface DiffLimits {
  readonly lines: number;
  readonly chars: number;
}

/** Returns what changed between two texts, line by line as `diff -U0` writes it; empty if they have the same lines. */
export async function diffLines(before: string, after: string, limits: DiffLimits): Promise<string> {
  const all = (await findHunks(before, after, 0)).flatMap(formatHunk);
  const shown: string[] = [];
  let room = limits.chars;
  for (const line of all) {
    room -= line.length + 1;
    if (shown.length === limits.lines || room < 0) break;
    shown.push(line);
  }
  const more = all.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`[and ${more} more lines of this diff]`])].join("\n");
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: DiffHunk): string[] {
  return [`@@ -${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)} @@`, ...lines];
}

/** A part without lines is named by the line before it. */
function rangeOf(start: number, count: number): string {
  return count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
}
