import { isObject } from "./json.ts";
import type { Leaf } from "./leaves.ts";
import { isForeign } from "./places.ts";
import type { Setting } from "./setting.ts";
import type { SettingsFile } from "./settings-file.ts";

/** What counts of all files together, and what does not and why. */
export interface Counting {
  readonly counted: readonly Leaf[];
  /** Of the folder's own files: what counts only where the folder is trusted, whether it is or not. */
  readonly granted: readonly Leaf[];
  /** What trust does not help: it stands in a file that may not say it. */
  readonly refused: readonly Leaf[];
}

type Standing = "counts" | "needs-trust" | "refused";

/**
 * Puts the files together, the later over the earlier (A18.2). Of the folder's own files only what restricts
 * counts before trust. What the enterprise has restricted nobody undoes (A22.1).
 */
export function count(files: readonly SettingsFile[], trusted: boolean): Counting {
  const counted = new Map<string, Leaf>();
  const granted: Leaf[] = [];
  const refused: Leaf[] = [];
  const locks = new Map<string, Leaf>();
  for (const leaf of files.flatMap(({ leaves }) => leaves)) {
    const key = keyOf(leaf);
    if (leaf.scope === "enterprise") locks.set(key, leaf);
    const standing = standingOf(leaf, counted.get(key), locks.get(key));
    if (standing === "needs-trust") granted.push(leaf);
    if (standing === "refused") refused.push(leaf);
    if (standing !== "counts" && !(trusted && standing === "needs-trust")) continue;
    // Away first: the order is that of the files, and the last one stands last.
    counted.delete(key);
    counted.set(key, leaf);
  }
  return { counted: [...counted.values()], granted, refused };
}

/** `before` counted so far; `lock` is what the enterprise says. */
function standingOf(leaf: Leaf, before: Leaf | undefined, lock: Leaf | undefined): Standing {
  const { setting, scope, value, path } = leaf;
  if (setting === null) return "counts";
  const isWiderThan = (other: unknown) =>
    setting.width !== undefined && setting.width(value) > setting.width(other);
  if (lock && isWiderThan(lock.value)) return "refused";
  if (!isForeign(scope)) return "counts";
  const wider = isWiderThan(before?.value);
  if (setting.ownOnly?.(path.at(-1) ?? "", value)) return "refused";
  switch (setting.foreign) {
    case "nothing":
      return "counts";
    case "trust":
      return (setting.width !== undefined && !wider) || addsNothing(setting, value)
        ? "counts"
        : "needs-trust";
    case "narrower":
      return wider ? "refused" : "counts";
    case "never":
      return "refused";
    default:
      return setting.foreign satisfies never;
  }
}

/** Where all values count together an empty one grants nothing; elsewhere it would replace the person's. */
function addsNothing({ merge }: Setting<unknown>, value: unknown): boolean {
  if (merge !== "each") return false;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function keyOf({ path, setting, file }: Leaf): string {
  return JSON.stringify(setting?.merge === "each" ? [path, file] : [path]);
}
