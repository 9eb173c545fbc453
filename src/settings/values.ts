import type { Leaf } from "./leaves.ts";
import { isSetting } from "./schema.ts";
import type { Setting } from "./setting.ts";

/** The leaves of one setting, with its type. */
export function leavesIn<T>(leaves: readonly Leaf[], setting: Setting<T>): (Leaf & { readonly value: T })[] {
  const isOwn = (leaf: Leaf): leaf is Leaf & { readonly value: T } => leaf.setting === setting;
  return leaves.filter(isOwn);
}

/** The values of a group of settings by their names. A single value is absent if no file sets it. */
export type Values<G> = {
  readonly [N in keyof G as G[N] extends Setting<unknown, "last"> ? N : never]?: ValueOf<G[N]>;
} & {
  readonly [N in keyof G as G[N] extends Setting<unknown, "last"> ? never : N]: ValueOf<G[N]>;
};

type ValueOf<S> = S extends Setting<infer T> ? T : Values<S>;

/** Returns what the leaves that count say together about these settings. */
export function valuesIn<G extends object>(leaves: readonly Leaf[], group: G): Values<G> {
  const values = Object.entries(group).flatMap(([name, one]: [string, object]) => {
    if (!isSetting(one)) return [[name, valuesIn(leaves, one)]];
    const own = leavesIn(leaves, one);
    return own.length === 0 && one.merge === "last" ? [] : [[name, merge(one, own)]];
  });
  // Each value passed the schema of its setting when its file was read.
  return Object.fromEntries(values) as Values<G>;
}

function merge({ merge }: Setting<unknown>, leaves: readonly Leaf[]): unknown {
  switch (merge) {
    case "last":
      return leaves.at(-1)?.value;
    case "entries":
      return Object.fromEntries(leaves.map(({ path, value }) => [path.at(-1), value]));
    case "each":
      return [...new Set(leaves.flatMap(({ value }) => value))];
    default:
      return merge satisfies never;
  }
}
