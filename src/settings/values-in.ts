import type { Leaf } from "./leaves.ts";
import type { Setting } from "./setting.ts";

/** A leaf of one setting, with its type. */
export interface Typed<T> extends Omit<Leaf, "value"> {
  readonly value: T;
}

/** The leaves of one setting: a value that was checked once passes again. */
export function leavesIn<T>(leaves: readonly Leaf[], setting: Setting<T>): Typed<T>[] {
  return leaves.flatMap((leaf) => {
    if (leaf.setting !== setting) return [];
    const isEntry = leaf.path.length > setting.path.length;
    const checked = setting.check.safeParse(isEntry ? { [leaf.path.at(-1) ?? ""]: leaf.value } : leaf.value);
    return checked.success ? [{ ...leaf, value: checked.data }] : [];
  });
}

export function valuesIn<T>(leaves: readonly Leaf[], setting: Setting<T>): T[] {
  return leavesIn(leaves, setting).map(({ value }) => value);
}

/** The entries that count of settings that have such. */
export function entriesIn<T>(
  leaves: readonly Leaf[],
  setting: Setting<Readonly<Record<string, T>>>,
): Readonly<Record<string, T>> {
  return Object.fromEntries(valuesIn(leaves, setting).flatMap((value) => Object.entries(value)));
}

/** The values of some settings by their names in the catalogue; a setting that no file sets is absent. */
export type Said<S> = { readonly [N in keyof S]?: S[N] extends Setting<infer T> ? T : never };

/** The last value of each of these settings. */
export function said<S extends Readonly<Record<string, Setting<unknown>>>>(
  leaves: readonly Leaf[],
  settings: S,
): Said<S> {
  const entries = Object.entries(settings).flatMap(([name, setting]) => {
    const value = valuesIn(leaves, setting).at(-1);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Said<S>;
}
