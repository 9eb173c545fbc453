import * as z from "zod/mini";

/**
 * Lines begin with a blank, `+` or `-`, or with `\` for a note, as in a unified diff; numbers count from 1. Very long lines
 * are cut around what changed.
 */
const DiffHunk = z.object({
  ...{ oldStart: z.number(), oldLines: z.number(), newStart: z.number(), newLines: z.number() },
  lines: z.array(z.string()),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

/** What a call changes in one file. */
export const FileDiff = z.object({
  path: z.string(),
  isNew: z.boolean(),
  added: z.number(),
  removed: z.number(),
  /** None if the file is not text, or if only its bytes change. */
  hunks: z.array(DiffHunk),
  /** Lines that `hunks` would have if they were not limited. */
  omitted: z.number(),
  isBinary: z.boolean(),
});
export type FileDiff = z.infer<typeof FileDiff>;

/** Returns the removed line for each added line that replaces it, and the other way round, by their positions in a hunk. */
export function pairLines(lines: readonly string[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  for (let at = 0; at < lines.length; ) {
    const start = at;
    const skip = (sign: string) => {
      while (lines[at]?.startsWith(sign) || (at > start && lines[at]?.startsWith("\\"))) at += 1;
    };
    skip("-");
    const added = at;
    skip("+");
    for (let one = start, other = added; one < added && other < at; one += 1, other += 1) {
      // The last line of a file may have a note below it.
      if (lines[one]?.startsWith("\\") || lines[other]?.startsWith("\\")) continue;
      pairs.set(one, other);
      pairs.set(other, one);
    }
    if (at === start) at += 1;
  }
  return pairs;
}
