import { editDistance } from "./edit-distance.ts";

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
