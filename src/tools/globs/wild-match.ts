/**
 * Git's own wildcards: `*`, `?`, `[…]`, `\` and, as a whole part of a path, `**`. Matched without a regular
 * expression, because one with many stars takes exponential time, and ignore files are written by strangers.
 */
export type Part = readonly Token[] | "any-folders";

type Token =
  | { readonly type: "one"; readonly fits: (character: string) => boolean }
  | { readonly type: "many" };

/** One part between slashes; null where it can match nothing. */
export function partOf(pattern: string): Part | null {
  if (/^\*\*+$/.test(pattern)) return "any-folders";
  return tokensOf(pattern);
}

export function tokensOf(pattern: string): Token[] | null {
  const tokens: Token[] = [];
  const signs = [...pattern];
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at];
    if (sign === "*") {
      if (tokens.at(-1)?.type !== "many") tokens.push({ type: "many" });
    } else if (sign === "?") tokens.push({ type: "one", fits: () => true });
    else if (sign === "[") {
      const set = classAt(signs, at + 1);
      if (set === null) return null;
      tokens.push({ type: "one", fits: set.fits });
      at = set.end;
    } else {
      const literal = sign === "\\" ? signs[++at] : sign;
      if (literal === undefined) return null;
      tokens.push({ type: "one", fits: (character) => character === literal });
    }
  }
  return tokens;
}

/** Whether the name fits as a whole. Only the last star is ever gone back to, so the time is bounded. */
export function fitsName(tokens: readonly Token[], name: readonly string[]): boolean {
  return fits(
    tokens,
    name,
    ({ type }) => type === "many",
    (token, character) => token.type === "one" && token.fits(character),
  );
}

/** Whether the parts of a path fit, `**` standing for any number of them. */
export function fitsPath(parts: readonly Part[], path: readonly string[]): boolean {
  return fits(
    parts,
    path,
    (part) => part === "any-folders",
    (part, name) => part !== "any-folders" && fitsName(part, [...name]),
  );
}

function fits<Pattern, Item>(
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
      // The last star takes one more.
      at = many + 1;
      item = ++taken;
    } else return false;
  }
  return patterns.slice(at).every(isMany);
}

/** The set that begins after its bracket, and where it ends; null where it does not end. */
export function classAt(
  signs: readonly string[],
  from: number,
): { fits: (character: string) => boolean; end: number } | null {
  const turned = signs[from] === "!" || signs[from] === "^";
  const ranges: ((character: string) => boolean)[] = [];
  let at = turned ? from + 1 : from;
  for (let first = true; first || signs[at] !== "]"; first = false) {
    if (at >= signs.length) return null;
    const named = /^\[:([a-z]+):\]/.exec(signs.slice(at, at + 12).join(""));
    if (named) {
      const kind = kinds[named[1] ?? ""];
      if (!kind) return null;
      ranges.push((character) => kind.test(character));
      at += named[0].length;
      continue;
    }
    const low = literalAt(signs, at);
    if (low === null) return null;
    at = low.next;
    const isRange = signs[at] === "-" && signs[at + 1] !== undefined && signs[at + 1] !== "]";
    const high = isRange ? literalAt(signs, at + 1) : low;
    if (high === null) return null;
    at = high.next;
    ranges.push((character) => codeOf(character) >= low.code && codeOf(character) <= high.code);
  }
  return { fits: (character) => ranges.some((range) => range(character)) !== turned, end: at };
}

function literalAt(signs: readonly string[], at: number): { code: number; next: number } | null {
  const escaped = signs[at] === "\\";
  const sign = signs[escaped ? at + 1 : at];
  return sign === undefined ? null : { code: codeOf(sign), next: at + (escaped ? 2 : 1) };
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

const kinds: Readonly<Record<string, RegExp>> = {
  alnum: /^[A-Za-z0-9]$/,
  alpha: /^[A-Za-z]$/,
  blank: /^[ \t]$/,
  cntrl: /^\p{Cc}$/u,
  digit: /^[0-9]$/,
  graph: /^[!-~]$/,
  lower: /^[a-z]$/,
  print: /^[ -~]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  space: /^\s$/,
  upper: /^[A-Z]$/,
  xdigit: /^[0-9A-Fa-f]$/,
};
