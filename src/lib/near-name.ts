/** Longer names are not misspelled. */
const MOST_CHARS = 64;
const MOST_NAMES = 5;

/** Returns the name that was most likely meant, or null if none is close: a far guess confuses more than it helps. */
export function nearName(given: string, names: readonly string[], mostEdits = MOST_CHARS): string | null {
  return near(given, names, mostEdits, false)[0] ?? null;
}

/** Returns a few names that may have been meant, the nearest first: also those that contain it or are a part of it. */
export function nearNames(given: string, names: readonly string[]): readonly string[] {
  return near(given, [...names].sort(), MOST_CHARS, true).slice(0, MOST_NAMES);
}

function near(given: string, names: readonly string[], mostEdits: number, withParts: boolean): string[] {
  const wanted = plainName(given);
  if (wanted.length > MOST_CHARS) return [];
  return names
    .map((name) => {
      const plain = plainName(name);
      const isPart = withParts && wanted.length > 2 && (plain.includes(wanted) || wanted.includes(plain));
      // Names of servers and plug-ins have long beginnings in common.
      const length = withParts ? wanted.length : name.length;
      const most = Math.min(mostEdits, Math.max(1, Math.floor(length / 3)));
      return { name, isPart, most, distance: editDistance(wanted, plain.slice(0, MOST_CHARS)) };
    })
    .filter(({ isPart, distance, most }) => isPart || distance <= most)
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

/** Returns a name without case and separators, in which equal names are the same. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || name;
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours between two texts. */
export function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(replaced, swapped, at(last, j) + 1, at(row, j - 1) + 1));
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
