import { editDistance } from "./edit-distance.ts";

/** Longer names are not misspelled. */
const MOST_CHARS = 64;

/** Returns the name that was most likely meant, or null if none is close: a far guess confuses more than it helps. */
export function nearName(given: string, names: readonly string[]): string | null {
  if (given.length > MOST_CHARS) return null;
  const wanted = plain(given);
  const [first] = names
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return first?.name ?? null;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}
