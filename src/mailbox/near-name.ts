import { editDistance } from "./edit-distance.ts";

/** Nobody misspells a name that is so long. */
const MOST_CHARS = 64;

/** The one of these names that was most likely meant; null where none is near: a far guess confuses more than none. */
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
