/** Lines of the base that a change replaces: from `start` up to, not including, `end`, counted from 0. */
export interface Hunk {
  readonly start: number;
  /** Equal to `start` if lines were only added. */
  readonly end: number;
}

/** Parses a diff of one file without context. Returns null if the file is binary. */
export function hunksOf(diff: string): Hunk[] | null {
  if (/^Binary files .* differ$/m.test(diff) || /^GIT binary patch$/m.test(diff)) return null;
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/gm)].map(([, line, count = "1"]) => {
    const lines = Number(count);
    // Git names the first removed line, or the line before if none was removed.
    const start = lines === 0 ? Number(line) : Number(line) - 1;
    return { start, end: start + lines };
  });
}

/** True if git could not merge them: adjacent changes count as one. */
export function collide(some: readonly Hunk[], others: readonly Hunk[]): boolean {
  return some.some((one) => others.some((other) => one.end >= other.start && other.end >= one.start));
}
