import type { ConfinedView } from "../../mailbox/confined.ts";
import type { Rule } from "../../settings/rules.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import type { Run } from "./probe.ts";
import { forbiddenReads } from "./rule-paths.ts";
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
  /** True if rules deny a path to be read, or ask about it. */
  hides(path: string): boolean;
  readonly run: Run;
  /** The path of `find`, or null. */
  readonly program: string | null;
}

/** Returns the real paths that rules forbid to read; null if they cannot all be hidden. */
export async function findMasks(search: MaskSearch): Promise<ConfinedView[] | null> {
  const { rules, home, hides, run, program } = search;
  const forbidden = forbiddenReads(rules, home);
  if (forbidden.length === 0) return [];
  const tests = forbidden.flatMap(({ name, isAround }): [string, string][] =>
    name === null ? [] : [[NAME, name], ...(isAround ? [[PATH, `*/${name}/*`] as [string, string]] : [])],
  );
  if (program === null || forbidden.some(({ name }) => name === null)) return null;
  const roots = outermost(
    [...search.roots, ...forbidden.flatMap(({ at }) => at ?? [])].flatMap((path) => realOrNull(path) ?? []),
  );
  const found = await findNames({ roots, tests, run, program });
  if (found === null) return null;
  const hidden: string[] = [];
  // A directory that cannot be listed may hold forbidden files, and may be read by name.
  for (const path of [...found.paths, ...found.closed]) {
    if (hidden.some((outer) => holds(outer, path)) || !(found.closed.includes(path) || hides(path))) continue;
    const real = realOrNull(path);
    if (real !== null) hidden.push(...new Set([path, real]));
    if (hidden.length > MOST_MASKS) return null;
  }
  const reals = new Set(hidden.flatMap((path) => realOrNull(path) ?? []));
  const masks = hide(outermost([...reals]), []);
  // No command can run in a workspace that is forbidden as a whole.
  return masks.some((mask) => search.roots.some((root) => holds(mask.path, realOf(root)))) ? null : masks;
}

/** Returns the paths without those inside another one. */
export function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && holds(other, path)));
}
