import { isObject } from "../lib/json.ts";
import type { Leaf } from "./leaves.ts";
import { isProjectScope } from "./paths.ts";
import type { Setting } from "./setting.ts";
import type { SettingsFile } from "./settings-file.ts";

/** Which values of all files count. */
export interface Counting {
  readonly counted: readonly Leaf[];
  /** Values of the project's files that count only if the directory is trusted, whether it is or not. */
  readonly granted: readonly Leaf[];
  /** Values in a file that may not set them; trust does not change that. */
  readonly refused: readonly Leaf[];
  /** Values of the project's files that are proposals; trust does not change that. */
  readonly proposed: readonly Leaf[];
}

/**
 * Merges the files, later ones over earlier ones (A18.2). Before trust only the restrictions of the project's files
 * count. No file undoes what the organisation restricts (A22.1).
 */
export function count(files: readonly SettingsFile[], trusted: boolean): Counting {
  const counted = new Map<string, Leaf>();
  const granted: Leaf[] = [];
  const refused: Leaf[] = [];
  const proposed: Leaf[] = [];
  const locks = new Map<string, Leaf>();
  for (const leaf of files.flatMap(({ leaves }) => leaves)) {
    const key = keyOf(leaf);
    if (leaf.scope === "enterprise") locks.set(key, leaf);
    const standing = standingOf(leaf, counted.get(key), locks.get(key));
    if (standing === "needs-trust") granted.push(leaf);
    if (standing === "refused") refused.push(leaf);
    if (standing === "proposed") proposed.push(leaf);
    if (standing !== "counts" && (standing !== "needs-trust" || !trusted)) continue;
    // Deleted first, so that the last file's value is the last one.
    counted.delete(key);
    counted.set(key, leaf);
  }
  return { counted: [...counted.values()], granted, refused, proposed };
}

/** `before` counted so far; `lock` is the organisation's value. */
function standingOf(
  { setting, scope, value, path }: Leaf,
  before: Leaf | undefined,
  lock: Leaf | undefined,
): "counts" | "needs-trust" | "refused" | "proposed" {
  if (setting === null) return "counts";
  const { width, trust, isUserOnly } = setting;
  if (trust === "managed") return scope === "enterprise" ? "counts" : "refused";
  const isWiderThan = (other: unknown) => width !== undefined && width(value) > width(other);
  if (lock && isWiderThan(lock.value)) return "refused";
  if (!isProjectScope(scope)) return "counts";
  if (isUserOnly?.(path.at(-1) ?? "", value)) return "refused";
  const isWider = isWiderThan(before?.value);
  switch (trust) {
    case "always":
      return "counts";
    case "trusted":
      return (width !== undefined && !isWider) || addsNothing(setting, value) ? "counts" : "needs-trust";
    case "stricter":
      return isWider ? "refused" : "counts";
    case "never":
      return "refused";
    case "proposes":
      return "proposed";
    default:
      return trust satisfies never;
  }
}

/** If all values count, an empty one grants nothing; otherwise it would replace the user's. */
function addsNothing({ merge }: Setting<unknown>, value: unknown): boolean {
  if (merge !== "each") return false;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function keyOf({ path, setting, file }: Leaf): string {
  return JSON.stringify(setting?.merge === "each" ? [path, file] : [path]);
}
