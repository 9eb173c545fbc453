/** Lines of the base that a change takes the place of: from `start` up to, not including, `end`, from 0. */
export interface Hunk {
  readonly start: number;
  /** The same as `start` where lines only came in. */
  readonly end: number;
}

/** Of a diff of one file without context. Null: it has no lines, as it is binary. */
export function hunksOf(diff: string): Hunk[] | null {
  if (/^Binary files .* differ$/m.test(diff) || /^GIT binary patch$/m.test(diff)) return null;
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/gm)].map(([, line, count = "1"]) => {
    const lines = Number(count);
    // Git names the first line that goes, and the line before where none does.
    const start = lines === 0 ? Number(line) : Number(line) - 1;
    return { start, end: start + lines };
  });
}

/** Whether git could not merge them: it takes changes that touch each other for one. */
export function collide(some: readonly Hunk[], others: readonly Hunk[]): boolean {
  return some.some((one) => others.some((other) => one.end >= other.start && other.end >= one.start));
}
