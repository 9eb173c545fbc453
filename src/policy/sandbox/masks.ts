import { lstatSync } from "node:fs";
import { isDirectory } from "../../lib/on-disk.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import type { Rule } from "../../settings/rules.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import type { Run } from "./probe.ts";
import { forbiddenPaths } from "./rule-paths.ts";
import { findNames } from "./search.ts";
import { hide, realOrNull } from "./secrets.ts";

/** Each costs a mount, about a tenth of a millisecond. */
const MOST_MASKS = 300;

/** As rules compare names. */
const [NAME, PATH] = process.platform === "darwin" ? ["-iname", "-ipath"] : ["-name", "-path"];

export interface MaskSearch {
  readonly roots: readonly string[];
  readonly rules: readonly Rule[];
  readonly home: string;
  /** True if rules forbid a path. */
  hides(path: string): boolean;
  readonly run: Run;
  /** The path of `find`, or null. */
  readonly program: string | null;
}

/** Returns how what rules forbid to read is hidden; null if not all of it can be. */
export async function findMasks(search: MaskSearch): Promise<ConfinedView[] | null> {
  const found = await findForbidden(search, "Read");
  if (found === null) return null;
  const masks = hide(found, []);
  // No command can run in a workspace that is forbidden as a whole.
  return masks.some((mask) => search.roots.some((root) => holds(mask.path, realOf(root)))) ? null : masks;
}

/** Returns the real paths that rules of a tool forbid, outermost only; null if they cannot all be found. */
export async function findForbidden(search: MaskSearch, tool: "Read" | "Edit"): Promise<string[] | null> {
  const { rules, home, hides, run, program } = search;
  const forbidden = forbiddenPaths(rules, home, tool);
  if (forbidden.length === 0) return [];
  const sought = forbidden.filter(({ isExact }) => !isExact);
  const tests = sought.flatMap(({ name, isAround }): [string, string][] =>
    name === null ? [] : [[NAME, name], ...(isAround ? [[PATH, `*/${name}/*`] as [string, string]] : [])],
  );
  if (program === null || sought.some(({ name }) => name === null)) return null;
  const roots = outermost(
    [...search.roots, ...sought.flatMap(({ at }) => at ?? [])].flatMap((path) => realOrNull(path) ?? []),
  );
  const found = await findNames({ roots, tests, run, program });
  if (found === null) return null;
  const exact = forbidden.flatMap(({ at, isExact }) => (isExact && at !== null ? [at] : []));
  const hidden: string[] = [];
  // A directory that cannot be listed may hold forbidden files, and may be read by name.
  for (const path of [...exact, ...found.paths, ...found.closed]) {
    if (hidden.some((outer) => holds(outer, path)) || !(found.closed.includes(path) || hides(path))) continue;
    const real = realOrNull(path);
    if (real !== null) hidden.push(...new Set([path, real]));
    if (hidden.length > MOST_MASKS) return null;
  }
  const reals = [...new Set(hidden.flatMap((path) => realOrNull(path) ?? []))];
  // Another name of the same file.
  const linked = reals.filter((path) => (lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 0) > 1);
  const shared = linked.filter((path) => !isDirectory(path)).map((path) => ["-samefile", path] as const);
  const others = await findNames({ roots, tests: shared, run, program });
  if (others === null || reals.length + others.paths.length > MOST_MASKS) return null;
  return outermost([...reals, ...others.paths]);
}

/** Returns the paths without those inside another one. */
export function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && holds(other, path)));
}
