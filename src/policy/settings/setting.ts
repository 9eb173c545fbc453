import type { Check } from "./checks.ts";

/**
 * How the values of several files come together. `last`: the last one counts. `entries`: each entry is a
 * setting of its own, and its last value counts. `each`: all of them count.
 */
export type Merge = "last" | "entries" | "each";

/**
 * What it takes that a value counts which stands in a file of the folder itself (project or local). `nothing`:
 * it can only restrict. `trust`: the person has said that the folder is trusted. `narrower`: it is stricter
 * than what counted so far; trust does not help. `never`: it counts in the person's own files only.
 */
export type Condition = "nothing" | "trust" | "narrower" | "never";

/** One setting: its check, its meaning and the conditions under which it counts, in one place. */
export interface Setting<T> {
  readonly path: readonly string[];
  /** Of `entries`: of an object with such entries. */
  readonly check: Check<T>;
  /** In words, for the documentation. */
  readonly type: string;
  readonly summary: string;
  /** What counts where nobody sets it. */
  readonly fallback: string;
  readonly merge: Merge;
  readonly foreign: Condition;
  /** How much a value permits; a value with less than what counted so far is narrower, and needs no trust. */
  readonly width?: (value: unknown) => number;
  /** Of a value or an entry that trust does not help: it counts in the person's own files only. */
  readonly ownOnly?: (name: string, value: unknown) => boolean;
}

type Words<T> = Pick<Setting<T>, "type" | "summary" | "fallback"> &
  Partial<Pick<Setting<T>, "merge" | "foreign" | "width" | "ownOnly">>;

/** Unless its words say otherwise, the last value counts, and a project's only after trust. */
export function setting<T>(name: string, check: Setting<T>["check"], words: Words<T>): Setting<T> {
  return { path: name.split("."), check, merge: "last", foreign: "trust", ...words };
}

export function nameOf({ path }: { readonly path: readonly string[] }): string {
  return path.join(".");
}
