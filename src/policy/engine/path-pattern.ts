import { realOf } from "./path-candidates.ts";
import { type Matcher, matcherOf, type Sign } from "./path-signs.ts";
import { bothOf } from "./place.ts";

/** Where a pattern is anchored (§4.3). */
export type Anchor = "root" | "home" | "project" | "config" | "cwd";

export interface PatternUse {
  /** Deny and ask are read wide, allow narrow. */
  readonly wide: boolean;
  /** True if `d/**` also matches the directory itself, so that it may be searched. */
  readonly withFolder: boolean;
  /** The base of `/p`; for deny and ask also the root of the file system. */
  readonly slash: "project" | "config";
  readonly foldCase: boolean;
  /** To resolve links in the fixed prefix of a deny rule. */
  readonly folders: Readonly<Record<Exclude<Anchor, "cwd">, readonly string[]>>;
}

export interface PathPattern {
  readonly anchor: Anchor;
  /** Compared with the path below the anchor, without a leading slash. */
  readonly expression: Matcher;
  readonly body: string;
  readonly anyDepth: boolean;
  /** The common directory and name prefix of everything it matches; null if it matches at any depth. */
  readonly fixed: string | null;
}

/** Compiles a pattern of a rule; returns the end of a sentence if it can match nothing. */
export function compilePathPattern(
  written: string,
  use: PatternUse,
): readonly PathPattern[] | { readonly problem: string } {
  if (written.startsWith("!")) return { problem: "begins with !, and rules have no exceptions" };
  if (/(?:^|\/)\.\.(?:\/|$)/.test(written))
    return { problem: "contains .., and a pattern never leaves its anchor" };
  const spellings = use.wide ? braced(written) : [written];
  if (spellings.length > MOST_SPELLINGS)
    return { problem: "has more alternatives in braces than are looked at" };
  const patterns = spellings.flatMap((spelling) => anchored(spelling, use));
  return use.wide ? [...patterns, ...patterns.flatMap((pattern) => behindLinks(pattern, use))] : patterns;
}

function anchored(pattern: string, use: PatternUse): PathPattern[] {
  const below = (anchor: Anchor, rest: string) => compile(anchor, rest.replace(/^\/+/, ""), false, use);
  if (pattern.startsWith("//")) return [below("root", pattern)];
  if (pattern === "~" || pattern.startsWith("~/")) return [below("home", pattern.slice(1))];
  if (pattern.startsWith("/")) {
    return use.wide
      ? [...new Set<Anchor>([use.slash, "project", "root"])].map((anchor) => below(anchor, pattern))
      : [below(use.slash, pattern)];
  }
  if (pattern.startsWith("./")) return [below("cwd", pattern.slice(2))];
  const bareName = !pattern.includes("/") || (use.wide && /^[^/]+\/$/.test(pattern));
  const anyDepth = bareName || (use.wide && /^[^/]+\/\*\*$/.test(pattern));
  return [compile("cwd", pattern, anyDepth, use)];
}

function compile(anchor: Anchor, body: string, anyDepth: boolean, use: PatternUse): PathPattern {
  const plain = body.replace(/\/+$/, "").replace(/\/{2,}/g, "/");
  const all = plain === "" || plain === "**";
  const inside = plain.endsWith("/**");
  const base = inside ? plain.slice(0, -3) : plain;
  const end: Sign[] = inside && !use.withFolder ? [SLASH, ANY, ANYTHING] : [maybe(SLASH, ANYTHING)];
  const start = anyDepth ? [maybe(ANYTHING, SLASH)] : [];
  const signs = all ? [ANYTHING] : [...start, ...signsOf(fold(base, use)), ...end];
  const fixed = anyDepth ? null : (/^[^*?[\\]*/.exec(base)?.[0] ?? "");
  return {
    anchor,
    expression: matcherOf(signs, use.foldCase ? "si" : "s"),
    body: plain,
    anyDepth,
    fixed,
  };
}

const SLASH: Sign = { type: "one", letter: "\\/" };
const ANY: Sign = { type: "one", letter: "." };
const ANYTHING: Sign = { type: "many", letter: "." };
const maybe = (...signs: Sign[]): Sign => ({ type: "maybe", signs });

/** Parses gitignore's syntax. */
function signsOf(pattern: string): Sign[] {
  const token = /\*\*\/|\/\*\*(?=\/|$)|\*+|\?|\[(?:[!^]?\]?(?:\\.|[^\]\\])*)\]|\\.|[\s\S]/g;
  return (pattern.match(token) ?? []).map((sign): Sign => {
    if (sign === "**/") return maybe(ANYTHING, SLASH);
    if (sign === "/**") return maybe(SLASH, ANYTHING);
    if (sign.startsWith("*")) return { type: "many", letter: "[^/]" };
    if (sign === "?") return { type: "one", letter: "[^/]" };
    if (sign.startsWith("[") && sign.length > 1) return { type: "one", letter: bracket(sign) };
    const letter = sign.startsWith("\\") && sign.length > 1 ? sign.slice(1) : sign;
    return { type: "one", letter: letter.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&") };
  });
}

function bracket(sign: string): string {
  const negated = /^\[[!^]/.test(sign);
  const inner = sign
    .slice(negated ? 2 : 1, -1)
    .replace(/\[:(\w+):\]/g, "")
    .replace(/[[\]^\\]/g, "\\$&");
  return negated ? `[^/${inner}]` : `(?!/)[${inner}]`;
}

/** A denied directory that is a link is also denied at its target. */
function behindLinks({ anchor, body, anyDepth }: PathPattern, use: PatternUse): PathPattern[] {
  if (anchor === "cwd" || anyDepth) return [];
  const names = body.split("/");
  const wild = names.findIndex((name) => /[*?[\\]/.test(name));
  const known = names.slice(0, wild < 0 ? undefined : wild).join("/");
  const rest = wild < 0 ? [] : names.slice(wild);
  return use.folders[anchor].flatMap((begin) => {
    const folder = begin.replace(/\/$/, "");
    const written = known === "" ? folder : `${folder}/${known}`;
    const real = realOf(written === "" ? "/" : written);
    if (real === written || written === "") return [];
    return [compile("root", [escapePath(real.slice(1)), ...rest].join("/"), false, use)];
  });
}

/** Returns a pattern that matches only this path. */
export function escapePath(path: string): string {
  return path.replace(/[\\*?[\]!]/g, "\\$&");
}

/** Enough for some lists of names; two to the power of twenty would block everything. */
const MOST_SPELLINGS = 1_024;

/** gitignore has no braces, but a rule that denies `*.{pem,key}` means both. Stops soon after the limit. */
function braced(pattern: string): string[] {
  const all = [pattern];
  for (let at = 0; at < all.length && all.length <= MOST_SPELLINGS; at++) {
    const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(all[at] ?? "");
    if (!found) continue;
    const [, before = "", inner = "", after = ""] = found;
    all.push(...inner.split(",").map((one) => `${before}${one}${after}`));
  }
  return all;
}

function fold(text: string, use: PatternUse): string {
  return use.foldCase ? text.normalize("NFC") : text;
}

/** Where the patterns of rules are anchored; all directories are absolute. */
export interface PatternAnchors {
  /** The project's root; in a worktree also what it is in the checkout. */
  readonly projects: readonly string[];
  readonly home: string;
  readonly config: string;
  readonly foldCase: boolean;
}

/**
 * Returns whether a deny or ask rule with this pattern may match a path; null if the pattern means nothing. In doubt it
 * matches: `a/b` counts below every directory, because each may be the working directory of a call.
 */
export function trackedMatcher(
  pattern: string,
  { projects, home, config, foldCase }: PatternAnchors,
): ((path: string) => boolean) | null {
  const folders: Record<Exclude<Anchor, "cwd">, readonly string[]> = {
    root: ["/"],
    home: bothOf(home),
    project: projects.flatMap((one) => bothOf(one)),
    config: bothOf(config),
  };
  // The two scopes differ in what `/p` means; `config` is the wider one.
  const found = compilePathPattern(pattern.trim(), {
    ...{ wide: true, withFolder: true, slash: "config", foldCase, folders },
  });
  if ("problem" in found) return null;
  return (path) => {
    const plain = foldCase ? path.normalize("NFC") : path;
    return found.some(({ anchor, anyDepth, expression }) => {
      const tails =
        anchor === "cwd" ? (anyDepth ? [plain.slice(1)] : tailsOf(plain)) : below(folders[anchor], plain);
      return tails.some((tail) => expression.test(tail));
    });
  };
}

function below(directories: readonly string[], path: string): readonly string[] {
  return directories.flatMap((dir) => {
    const start = dir.endsWith("/") ? dir : `${dir}/`;
    return path.startsWith(start) ? [path.slice(start.length)] : [];
  });
}

function tailsOf(path: string): readonly string[] {
  const names = path.slice(1).split("/");
  return names.map((_, at) => names.slice(at).join("/"));
}
