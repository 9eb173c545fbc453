import type { Leaf } from "./leaves.ts";
import type { Setting } from "./setting.ts";

/** The values of one setting among these leaves, with its type: a value that was checked once passes again. */
export function valuesIn<T>(leaves: readonly Leaf[], setting: Setting<T>): T[] {
  return leaves.flatMap((leaf) => {
    if (leaf.setting !== setting) return [];
    const isEntry = leaf.path.length > setting.path.length;
    const checked = setting.check.safeParse(isEntry ? { [leaf.path.at(-1) ?? ""]: leaf.value } : leaf.value);
    return checked.success ? [checked.data] : [];
  });
}
