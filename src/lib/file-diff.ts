import * as z from "zod/mini";

const DiffHunk = z.object({
  ...{ oldStart: z.number(), oldLines: z.number(), newStart: z.number(), newLines: z.number() },
  lines: z
    .array(z.string())
    .check(
      z.describe(
        "As in a unified diff: each begins with a blank, `+` or `-`, or with `\\` for a note. Those of more than 400 characters are cut around what changed.",
      ),
    ),
});
export type DiffHunk = z.infer<typeof DiffHunk>;

/** What a call changes in one file. */
export const FileDiff = z
  .object({
    path: z.string(),
    isNew: z.boolean(),
    added: z.number().check(z.describe("Lines.")),
    removed: z.number(),
    hunks: z.array(DiffHunk).check(z.describe("At most 400 lines; none if the file is not text.")),
    omitted: z.number().check(z.describe("Lines that are not in `hunks`.")),
    isBinary: z.boolean(),
  })
  .check(z.describe("What a call changed in a file; absent for files above 4 MB."));
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
