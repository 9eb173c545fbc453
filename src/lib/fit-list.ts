import { shorten } from "./text.ts";

/** One line of a list that a model chooses from. */
export interface ListEntry {
  readonly name: string;
  readonly description: string;
  /** The line if there is room; `- name: description` if absent. */
  readonly whole?: string;
  /** It gives way last. */
  readonly isKept: boolean;
}

/** A description that is cut shorter than this says nothing; then the name is alone. */
export const MIN_DESC_LENGTH = 20;

/**
 * Fits a list into `budget` characters: whole lines; else shorter descriptions for entries that are not kept; else their
 * names alone; else as many names as fit, after the kept entries, and `more` says how many are left out.
 */
export function fitList(
  entries: readonly ListEntry[],
  budget: number,
  more: (count: number) => string,
): string {
  const whole = entries.map(wholeLine);
  if (lengthOf(whole) <= budget) return whole.join("\n");
  const others = entries.filter(({ isKept }) => !isKept);
  const lines = (describe: (entry: ListEntry) => string) =>
    entries.map((entry) => (entry.isKept ? wholeLine(entry) : lineOf(entry.name, describe(entry))));
  const named = lines(() => "");
  // Each description takes ": " as well.
  const each = Math.floor((budget - lengthOf(named)) / Math.max(1, others.length)) - 2;
  if (each >= MIN_DESC_LENGTH) return lines(({ description }) => shorten(description, each)).join("\n");
  if (lengthOf(named) <= budget) return named.join("\n");
  const kept = entries.filter(({ isKept }) => isKept).map(wholeLine);
  const room = budget - (kept.length === 0 ? 0 : lengthOf(kept) + 1);
  return room >= more(others.length).length
    ? [...kept, ...firstNames(others, room, more)].join("\n")
    : firstNames(entries, budget, more).join("\n");
}

/** Returns the first names that fit, with the number of the others. */
function firstNames(
  entries: readonly ListEntry[],
  budget: number,
  more: (count: number) => string,
): readonly string[] {
  const names = entries.map(({ name }) => lineOf(name, ""));
  if (lengthOf(names) <= budget) return names;
  let used = more(names.length).length;
  const tooMany = names.findIndex((line) => {
    used += line.length + 1;
    return used > budget;
  });
  const end = more(names.length - tooMany);
  return end.length <= budget ? [...names.slice(0, tooMany), end] : [];
}

function wholeLine({ name, description, whole = lineOf(name, description) }: ListEntry): string {
  return whole;
}

function lineOf(name: string, description: string): string {
  return description === "" ? `- ${name}` : `- ${name}: ${description}`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.join("\n").length;
}
