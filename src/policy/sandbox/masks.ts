import { existsSync, lstatSync } from "node:fs";
import { isDirectory } from "../../lib/on-disk.ts";
import { expandHome } from "../../lib/paths.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import type { Rule } from "../../settings/permissions.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { parseRule } from "../engine/rule-syntax.ts";
import { hide, realOrNull } from "./denied-paths.ts";
import { findNames } from "./find-names.ts";
import type { Run } from "./probe.ts";

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

/** Where files may be that a rule forbids, wider than the rule itself. */
export interface Forbidden {
  /** A name that they have, for fnmatch. Null is any name. */
  readonly name: string | null;
  /** It is the name of a directory above them, which the rule does not match itself. */
  readonly isAround: boolean;
  /** The path that they lie at or below, if the rule says one. */
  readonly at: string | null;
  /** True if `at` itself is all that the rule names: no search is needed. */
  readonly isExact: boolean;
}

/** Returns where to look for the files that rules of a tool deny or ask about. */
export function forbiddenPaths(rules: readonly Rule[], home: string, tool: "Read" | "Edit"): Forbidden[] {
  return rules.flatMap((rule): Forbidden[] => {
    if (rule.behaviour === "allow") return [];
    const parsed = parseRule(rule);
    const all = { name: null, isAround: false, at: null, isExact: false };
    if (parsed.type === "glob") return parsed.pattern.test(tool) ? [all] : [];
    if (parsed.type === "broken" || parsed.tool !== tool) return [];
    if (parsed.type === "tool") return [all];
    if (isAnchoredPath(parsed.spec.trim().replace(/\/\*\*$/, ""))) {
      const at = absolute(parsed.spec.trim(), home);
      return at === null ? [] : [{ ...all, at, isExact: true }];
    }
    // Braces may hold separators.
    const text = parsed.spec.trim().replace(/\{[^{}]*\}/g, "*");
    const names = text.split("/").filter((name) => name !== "" && name !== ".");
    const last = names.findLastIndex((name) => !/^\*+$/.test(name));
    const name = names[last];
    const isAround = names.slice(last + 1).some((rest) => rest !== "**");
    const at = absolute(text, home);
    return [{ name: name === undefined || name === "~" ? null : name, isAround, at, isExact: false }];
  });
}

/** Returns what allow rules let commands read: those that name a file, or a directory with everything in it. */
export function readAllowances(rules: readonly Rule[], home: string): string[] {
  return rules.flatMap((rule) => {
    const parsed = rule.behaviour === "allow" ? parseRule(rule) : null;
    if (parsed?.type !== "spec" || parsed.tool !== "Read") return [];
    const path = parsed.spec.replace(/\/\*\*$/, "");
    return isAnchoredPath(path) ? [absolute(path, home) ?? []].flat() : [];
  });
}

/** True for a path without wildcards that does not depend on the project. */
function isAnchoredPath(path: string): boolean {
  return /^(?:\/\/|~)/.test(path) && !/[*?[\\{]/.test(path);
}

/** The part of a pattern without wildcards, if it is anchored at the root or the home. */
function absolute(pattern: string, home: string): string | null {
  const rooted = expandHome(pattern, home);
  if (!rooted.startsWith("/")) return null;
  const names = rooted.split("/").filter((name) => name !== "");
  const wild = names.findIndex((name) => /[*?[\\]/.test(name));
  const fixed = `/${names.slice(0, wild < 0 ? undefined : wild).join("/")}`;
  return fixed === "/" || !existsSync(fixed) ? null : fixed;
}
