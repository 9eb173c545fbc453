/** A pattern for paths with `/` between their names. */
export interface Glob {
  fits(names: readonly string[]): boolean;
  /** True if something below this directory can fit. */
  mayFitBelow(names: readonly string[]): boolean;
}

export type CompiledGlob =
  | { readonly type: "glob"; readonly glob: Glob }
  /** A sentence for the author of the pattern. */
  | { readonly type: "refused"; readonly reason: string };

/** No one writes a longer pattern by hand. */
const MAX_CHARS = 2_000;
const MAX_ALTERNATIVES = 1_000;

/**
 * Compiles `*`, `?`, `[ab]`, `**`, `{a,b}` and `\` before what is meant literally. The time of a comparison is bounded by
 * the lengths of both: patterns and names come from strangers, and a regular expression with ten stars takes a second.
 */
export function compileGlob(pattern: string): CompiledGlob {
  const expanded = expandBraces(pattern);
  return expanded.type === "refused" ? expanded : { type: "glob", glob: globOf(expanded.patterns) };
}

/** Compiles patterns without braces, one of which must fit. */
export function globOf(patterns: readonly string[]): Glob {
  const paths = patterns.map(compilePath);
  return {
    fits: (names) => paths.some((path) => fitsPath(path, names)),
    mayFitBelow: (names) => paths.some((path) => mayFitBelow(path, names)),
  };
}

/** Returns the pattern for each way through its braces; braces without a comma or an end are literal. */
export function expandBraces(
  pattern: string,
):
  | { readonly type: "patterns"; readonly patterns: readonly string[] }
  | Extract<CompiledGlob, { type: "refused" }> {
  const refused = (reason: string) => ({ type: "refused", reason }) as const;
  if (pattern.length > MAX_CHARS)
    return refused(
      `pattern has ${pattern.length} characters; the most is ${MAX_CHARS}. Search for a part of it.`,
    );
  if (pattern.startsWith("!") || /(?<!\\)[@?*+!]\([^)]*\)/.test(pattern))
    return refused(
      "! and groups such as @(a|b) in pattern are not supported. Write what to find, with {a,b} for either; a literal ! or ( is written \\! or \\(.",
    );
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const ways = firstBraces(next);
    if (ways === null) done.push(next);
    else open.push(...ways.toReversed());
    if (open.length + done.length > MAX_ALTERNATIVES)
      return refused(
        `the braces of pattern stand for more than ${MAX_ALTERNATIVES} patterns. Use * instead.`,
      );
  }
  return { type: "patterns", patterns: [...new Set(done)] };
}

function firstBraces(pattern: string): string[] | null {
  for (let from = pattern.indexOf("{"); from >= 0; from = pattern.indexOf("{", from + 1)) {
    if (pattern[from - 1] === "\\") continue;
    const cuts = cutsOf(pattern, from);
    if (cuts === null || cuts.length < 3) continue;
    const end = cuts.at(-1) ?? from;
    return cuts.slice(1).map((cut, at) => {
      const way = pattern.slice((cuts[at] ?? from) + 1, cut);
      return pattern.slice(0, from) + way + pattern.slice(end + 1);
    });
  }
  return null;
}

/** Returns the positions of the brace, its own commas and its end; null if it does not end. */
function cutsOf(pattern: string, from: number): number[] | null {
  const cuts = [from];
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const sign = pattern[at];
    if (sign === "\\") at += 1;
    else if (sign === "{") depth += 1;
    else if (sign === "," && depth === 1) cuts.push(at);
    else if (sign === "}" && --depth === 0) return [...cuts, at];
  }
  return null;
}

/** One name of a path, or any number of directories. */
export type Segment = "**" | ((name: string) => boolean);

/** Splits a pattern without braces. `**` at the end needs something in the directory. */
export function compilePath(pattern: string): readonly Segment[] {
  const segments = pattern
    // `**.ts` is a name at any depth.
    .replace(/(^|\/)\*\*+(?=[^/*])/g, "$1**/*")
    .split("/")
    .map((text): Segment => (/^\*\*+$/.test(text) ? "**" : compileName(text)));
  return segments.at(-1) === "**" ? [...segments, () => true] : segments;
}

export function fitsPath(segments: readonly Segment[], names: readonly string[]): boolean {
  return fitsInOrder(segments, names, isAnyDir, fitsSegment);
}

function isAnyDir(segment: Segment): boolean {
  return segment === "**";
}

function fitsSegment(segment: Segment, name: string): boolean {
  return segment !== "**" && segment(name);
}

function mayFitBelow(segments: readonly Segment[], names: readonly string[]): boolean {
  for (const [at, name] of names.entries()) {
    const segment = segments[at];
    if (segment === "**") return true;
    if (segment === undefined || !segment(name)) return false;
  }
  return segments.length > names.length;
}

type Token = "*" | ((character: string) => boolean);

/** Compiles the pattern of one name. Most are plain, or a star before an ending. */
export function compileName(pattern: string): (name: string) => boolean {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const ending = /^\*([^*?[\\]+)$/.exec(pattern)?.[1];
  if (ending !== undefined) return (name) => name.endsWith(ending);
  const tokens = tokensOf(pattern);
  return tokens === null
    ? () => false
    : (name) =>
        fitsInOrder(
          tokens,
          [...name],
          (token) => token === "*",
          (token, character) => token !== "*" && token(character),
        );
}

/** Returns null if the pattern can fit nothing. */
function tokensOf(pattern: string): Token[] | null {
  const tokens: Token[] = [];
  const signs = [...pattern];
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at];
    if (sign === "*") {
      if (tokens.at(-1) !== "*") tokens.push("*");
    } else if (sign === "?") tokens.push(() => true);
    else if (sign === "[") {
      const end = endOfSet(signs, at);
      const fits = end === null ? null : compileSet(signs.slice(at + 1, end).join(""));
      if (end === null || fits === null) return null;
      tokens.push(fits);
      at = end;
    } else {
      const literal = sign === "\\" ? signs[++at] : sign;
      if (literal === undefined) return null;
      tokens.push((character) => character === literal);
    }
  }
  return tokens;
}

function endOfSet(signs: readonly string[], from: number): number | null {
  const first = signs[from + 1] === "!" || signs[from + 1] === "^" ? from + 2 : from + 1;
  for (let at = first; at < signs.length; at++) {
    if (signs[at] === "\\") at += 1;
    else if (signs[at] === "[" && signs[at + 1] === ":") at = signs.indexOf("]", at);
    else if (signs[at] === "]" && at > first) return at;
    if (at < 0) return null;
  }
  return null;
}

const CLASSES: Readonly<Record<string, string>> = {
  ...{ alnum: "A-Za-z0-9", alpha: "A-Za-z", blank: " \\t", cntrl: "\\p{Cc}", digit: "0-9", graph: "!-~" },
  ...{
    lower: "a-z",
    print: " -~",
    punct: "!-\\/:-@\\[-`\\{-~",
    space: "\\s",
    upper: "A-Z",
    xdigit: "0-9A-Fa-f",
  },
};

/** Returns null if the set can fit nothing, such as one with an unknown class. */
function compileSet(set: string): ((character: string) => boolean) | null {
  const isTurned = /^[!^]/.test(set);
  const body = (isTurned ? set.slice(1) : set).replace(
    /\[:([a-z]+):\]|\\(.)|([[\]\\^])/gsu,
    (_, name?: string, escaped?: string, sign?: string) =>
      name === undefined
        ? `\\u{${(escaped ?? sign ?? "").codePointAt(0)?.toString(16)}}`
        : (CLASSES[name] ?? "\0-"),
  );
  try {
    const expression = new RegExp(`^[${isTurned ? "^" : ""}${body}]$`, "su");
    return (character) => expression.test(character);
  } catch {
    return null;
  }
}

/** True if the items fit the patterns in order. Only the last star is ever extended, so the time is bounded. */
function fitsInOrder<Pattern, Item>(
  patterns: readonly Pattern[],
  items: readonly Item[],
  isMany: (pattern: Pattern) => boolean,
  fitsOne: (pattern: Pattern, item: Item) => boolean,
): boolean {
  let at = 0;
  let many = -1;
  let taken = 0;
  for (let item = 0; item < items.length; ) {
    const pattern = patterns[at];
    const next = items[item];
    if (next === undefined) return false;
    if (pattern !== undefined && isMany(pattern)) {
      many = at++;
      taken = item;
    } else if (pattern !== undefined && fitsOne(pattern, next)) {
      at += 1;
      item += 1;
    } else if (many >= 0) {
      at = many + 1;
      item = ++taken;
    } else return false;
  }
  return patterns.slice(at).every(isMany);
}

/** Splits a list of patterns at its commas; a comma in braces belongs to its pattern. */
export function splitPatterns(list: string): string[] {
  const patterns: string[] = [];
  let depth = 0;
  let current = "";
  for (const sign of list) {
    if (sign === "{") depth += 1;
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (sign === "," && depth === 0) {
      patterns.push(current);
      current = "";
    } else current += sign;
  }
  return [...patterns, current].map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
}

/** True if a path of a setting has wildcards: then it stands for all existing paths that it matches. */
export function isPattern(path: string): boolean {
  return /[*?[{]/.test(path);
}
