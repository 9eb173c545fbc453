/** With more pairs of lines the whole part counts as replaced. */
const MAX_PAIRS = 1_000_000;

/** The size of a diff; the rest is counted. */
export interface DiffLimits {
  readonly lines: number;
  readonly chars: number;
}

interface Hunk {
  readonly from: number;
  readonly removed: readonly string[];
  readonly to: number;
  readonly added: readonly string[];
}

/** Returns what changed between two texts, line by line as `diff -U0` writes it; empty if they have the same lines. */
export function diffLines(before: string, after: string, { lines, chars }: DiffLimits): string {
  const all = findHunks(before.split("\n"), after.split("\n")).flatMap(formatHunk);
  const shown: string[] = [];
  let room = chars;
  for (const line of all) {
    room -= line.length + 1;
    if (shown.length === lines || room < 0) break;
    shown.push(line);
  }
  const more = all.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`[and ${more} more lines of this diff]`])].join("\n");
}

function findHunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  if (removed.length * added.length > MAX_PAIRS) return [{ from: start, removed, to: start, added }];
  return compareParts(removed, added, start);
}

/** By a longest common subsequence. */
function compareParts(before: readonly string[], after: readonly string[], offset: number): Hunk[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const hunks: Hunk[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [from, to] = [i, j];
    while ((i < before.length || j < after.length) && !(i < before.length && before[i] === after[j])) {
      if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) i += 1;
      else j += 1;
    }
    if (i > from || j > to) {
      const [removed, added] = [before.slice(from, i), after.slice(to, j)];
      hunks.push({ from: from + offset, removed, to: to + offset, added });
    }
    i += 1;
    j += 1;
  }
  return hunks;
}

function formatHunk({ from, removed, to, added }: Hunk): string[] {
  return [
    `@@ -${rangeOf(from, removed.length)} +${rangeOf(to, added.length)} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
  ];
}

/** A part without lines is named by the line before it. */
function rangeOf(index: number, count: number): string {
  const line = count === 0 ? index : index + 1;
  return count === 1 ? `${line}` : `${line},${count}`;
}
