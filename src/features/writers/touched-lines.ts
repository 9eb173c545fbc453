import type { Hunk, SuccessOf } from "../../worktrees/protocol.ts";
import type { TouchedLines } from "./overlap-text.ts";

/** The lines of a file that one worktree changes, each counted from its own base. */
export type ChangedLines = Omit<SuccessOf<"changedLines">, "type">;

/** Compares the changes of two worktrees. `unknown` if they started from different contents, so that line numbers do not match. */
export function compareLines(one: ChangedLines, other: ChangedLines): TouchedLines {
  if (one.blob !== other.blob) return "unknown";
  if (one.hunks?.length === 0 || other.hunks?.length === 0) return "others";
  // A file that both created, or without lines, counts as one region.
  if (one.blob === null || one.hunks === null || other.hunks === null) return "same";
  return collide(one.hunks, other.hunks) ? "same" : "others";
}

/** True if git could not merge them: adjacent changes count as one. */
export function collide(some: readonly Hunk[], others: readonly Hunk[]): boolean {
  return some.some((one) => others.some((other) => one.end >= other.start && other.end >= one.start));
}
