import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../../settings/rules.ts";
import { parseRule } from "../engine/rule-syntax.ts";

/** Where files may be that a Read rule forbids, wider than the rule itself. */
export interface Forbidden {
  /** A name that they have, for fnmatch. Null is any name. */
  readonly name: string | null;
  /** It is the name of a directory above them, which the rule does not match itself. */
  readonly isAround: boolean;
  /** The path that they lie at or below, if the rule says one. */
  readonly at: string | null;
}

/** Returns where to look for the files that rules deny or ask about. */
export function forbiddenReads(rules: readonly Rule[], home: string): Forbidden[] {
  return rules.flatMap((rule) => {
    if (rule.behaviour === "allow") return [];
    const parsed = parseRule(rule);
    const all = { name: null, isAround: false, at: null };
    if (parsed.type === "glob") return parsed.pattern.test("Read") ? [all] : [];
    if (parsed.type === "broken" || parsed.tool !== "Read") return [];
    if (parsed.type === "tool") return [all];
    // Braces may hold separators.
    const text = parsed.spec.trim().replace(/\{[^{}]*\}/g, "*");
    const names = text.split("/").filter((name) => name !== "" && name !== ".");
    const last = names.findLastIndex((name) => !/^\*+$/.test(name));
    const name = names[last];
    const isAround = names.slice(last + 1).some((rest) => rest !== "**");
    return [{ name: name === undefined || name === "~" ? null : name, isAround, at: absolute(text, home) }];
  });
}

/** Returns what allow rules let commands read: those that name a file, or a directory with everything in it. */
export function readAllowances(rules: readonly Rule[], home: string): string[] {
  return rules.flatMap((rule) => {
    const parsed = rule.behaviour === "allow" ? parseRule(rule) : null;
    if (parsed?.type !== "spec" || parsed.tool !== "Read") return [];
    const path = parsed.spec.replace(/\/\*\*$/, "");
    // Only these two are anchored outside the project.
    const isAnchored = /^(?:\/\/|~)/.test(path) && !/[*?[\\{]/.test(path);
    return isAnchored ? [absolute(path, home) ?? []].flat() : [];
  });
}

/** The part of a pattern without wildcards, if it is anchored at the root or the home. */
function absolute(pattern: string, home: string): string | null {
  const rooted = pattern === "~" || pattern.startsWith("~/") ? join(home, pattern.slice(1)) : pattern;
  if (!rooted.startsWith("/")) return null;
  const names = rooted.split("/").filter((name) => name !== "");
  const wild = names.findIndex((name) => /[*?[\\]/.test(name));
  const fixed = `/${names.slice(0, wild < 0 ? undefined : wild).join("/")}`;
  return fixed === "/" || !existsSync(fixed) ? null : fixed;
}
