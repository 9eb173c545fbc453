import type { Kind } from "./checks.ts";

/**
 * What it takes that a value counts which stands in a file of the folder itself (project or local). `nothing`:
 * it can only restrict. `trust`: the person has said that the folder is trusted. `narrower`: it is stricter
 * than what counted so far; trust does not help. `never`: it counts in the person's own files only.
 */
export type Condition = "nothing" | "trust" | "narrower" | "never";

/** One setting: its check, its meaning and the conditions under which it counts, in one place. */
export interface Setting<T> extends Required<Kind<T>> {
  readonly path: readonly string[];
  readonly summary: string;
  /** What counts where nobody sets it. */
  readonly fallback: string;
  readonly foreign: Condition;
  /** How much a value permits; a value with less than what counted so far is narrower, and needs no trust. */
  readonly width?: (value: unknown) => number;
  /** Of a value or an entry that trust does not help: it counts in the person's own files only. */
  readonly ownOnly?: (name: string, value: unknown) => boolean;
}

type Words<T> = Pick<Setting<T>, "summary"> & Partial<Omit<Setting<T>, "path" | "check" | "summary">>;

/** By default a setting has no value unless a file sets it, and a project's value counts only after trust. */
export function setting<T>(name: string, kind: Kind<T>, words: Words<T>): Setting<T> {
  return { path: name.split("."), merge: "last", foreign: "trust", fallback: "none", ...kind, ...words };
}

export function nameOf({ path }: { readonly path: readonly string[] }): string {
  return path.join(".");
}
