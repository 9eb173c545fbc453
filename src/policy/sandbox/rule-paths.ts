import { existsSync } from "node:fs";
import { expandHome } from "../../lib/paths.ts";
import type { Rule } from "../../settings/rules.ts";
import { parseRule } from "../engine/rule-syntax.ts";

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
