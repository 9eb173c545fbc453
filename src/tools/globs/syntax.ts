import { classAt } from "./wild-match.ts";

/** What a path goes through, piece by piece, to fit a pattern. */
export type Piece =
  /** One character, given by its code point. */
  | { readonly type: "one"; readonly fits: (code: number) => boolean }
  /** Any part of one name, also none. */
  | { readonly type: "part" }
  /** Any number of whole folders, each with its slash. */
  | { readonly type: "folders" }
  /** Whatever comes, slashes included. */
  | { readonly type: "rest"; readonly orNothing: boolean }
  | { readonly type: "either"; readonly ways: readonly Pieces[]; readonly times: Times };
export type Pieces = readonly Piece[];
export type Times = "once" | "once-or-not" | "any" | "once-or-more";

export type Parsed =
  | { readonly type: "pieces"; readonly pieces: Pieces }
  /** A sentence for whoever wrote it. */
  | { readonly type: "refused"; readonly reason: string };

export const SLASH = 0x2f;
/** No one writes a longer pattern by hand; what is below is bounded by these two. */
export const MAX_PATTERN_CHARS = 2_000;
const MAX_NUMBERS = 1_000;

const TIMES: Readonly<Record<string, Times>> = {
  "@": "once",
  "?": "once-or-not",
  "*": "any",
  "+": "once-or-more",
};

class Refused extends Error {}

/**
 * Reads `*`, `?`, `[ab]`, `**`, `{a,b}`, `{1..9}`, `@(a|b)` with its kin `?(`, `*(` and `+(`, and `\` in front of
 * what is meant literally. Anything that is not complete, such as a brace without a comma, stands for itself.
 */
export function parseGlob(pattern: string): Parsed {
  if (pattern.length > MAX_PATTERN_CHARS) return refused(tooLong(pattern));
  if (pattern.includes("!("))
    return refused("!(…) in the pattern is not understood. Write what to find; a literal ! is written \\!.");
  const signs = [...pattern];
  try {
    return { type: "pieces", pieces: reader(signs, pairsIn(signs)).read(0, signs.length) };
  } catch (error) {
    if (error instanceof Refused) return refused(error.message);
    throw error;
  }
}

export function tooLong(pattern: string): string {
  return `pattern has ${pattern.length} characters, and ${MAX_PATTERN_CHARS} are the most. Search for a part of it.`;
}

function refused(reason: string): Parsed {
  return { type: "refused", reason };
}

interface Reader {
  read(from: number, end: number): Pieces;
}

function reader(signs: readonly string[], pairs: ReadonlyMap<number, Pair>): Reader {
  let numbers = 0;

  function read(from: number, end: number): Pieces {
    const pieces: Piece[] = [];
    for (let at = from; at < end; ) at = readOne(at, from, end, pieces);
    return pieces;
  }

  /** Adds what begins here, and says where the next begins. */
  function readOne(at: number, from: number, end: number, pieces: Piece[]): number {
    const sign = signs[at] ?? "";
    const group = sign in TIMES ? pairs.get(at + 1) : undefined;
    if (group !== undefined && group.sign === "(") {
      pieces.push({ type: "either", ways: waysOf(at + 1, group), times: TIMES[sign] ?? "once" });
      return group.close + 1;
    }
    const pair = pairs.get(at);
    if (pair?.sign === "{") return readBraces(at, pair, pieces);
    if (sign === "*") return readStars(at, from, end, pieces);
    if (sign === "?") {
      pieces.push(inName(() => true));
      return at + 1;
    }
    const set = sign === "[" ? classAt(signs, at + 1) : null;
    if (set !== null && set.end < end) {
      pieces.push(inName((code) => set.fits(String.fromCodePoint(code))));
      return set.end + 1;
    }
    const isEscape = sign === "\\" && at + 1 < end;
    pieces.push(literal(isEscape ? (signs[at + 1] ?? "") : sign));
    return at + (isEscape ? 2 : 1);
  }

  function readStars(at: number, from: number, end: number, pieces: Piece[]): number {
    let next = at + 1;
    while (next < end && signs[next] === "*" && pairs.get(next + 1)?.sign !== "(") next += 1;
    const beginsName = at === from || signs[at - 1] === "/";
    if (next - at < 2 || !beginsName) pieces.push({ type: "part" });
    else if (next < end && signs[next] === "/") {
      pieces.push({ type: "folders" });
      return next + 1;
    } else pieces.push({ type: "rest", orNothing: next < end });
    return next;
  }

  function readBraces(at: number, pair: Pair, pieces: Piece[]): number {
    if (pair.commas.length > 0) pieces.push({ type: "either", ways: waysOf(at, pair), times: "once" });
    else {
      const range = rangeOf(signs.slice(at + 1, pair.close).join(""));
      if (range === null) {
        pieces.push(literal("{"));
        return at + 1;
      }
      pieces.push(range);
    }
    return pair.close + 1;
  }

  function waysOf(open: number, { close, commas }: Pair): Pieces[] {
    const cuts = [open, ...commas, close];
    return cuts.slice(1).map((cut, which) => read((cuts[which] ?? open) + 1, cut));
  }

  function rangeOf(text: string): Piece | null {
    const [, low, high] = /^([A-Za-z])\.\.([A-Za-z])$/.exec(text) ?? [];
    if (low !== undefined && high !== undefined) {
      const [first, last] = [low.charCodeAt(0), high.charCodeAt(0)].sort((a, b) => a - b);
      return inName((code) => code >= (first ?? 0) && code <= (last ?? 0));
    }
    const ends = /^(-?\d{1,9})\.\.(-?\d{1,9})$/.exec(text);
    if (ends === null) return null;
    const [first = 0, last = 0] = [Number(ends[1]), Number(ends[2])].sort((a, b) => a - b);
    numbers += last - first + 1;
    if (numbers > MAX_NUMBERS)
      throw new Refused(`{${text}} stands for too many numbers: ${MAX_NUMBERS} are the most. Use * instead.`);
    const ways = Array.from({ length: last - first + 1 }, (_, at) => [...String(first + at)].map(literal));
    return { type: "either", ways, times: "once" };
  }

  return { read };
}

function inName(fits: (code: number) => boolean): Piece {
  return { type: "one", fits: (code) => code !== SLASH && fits(code) };
}

function literal(sign: string): Piece {
  const wanted = sign.codePointAt(0);
  return { type: "one", fits: (code) => code === wanted };
}

interface Pair {
  readonly sign: "{" | "(";
  readonly close: number;
  /** Where its ways are parted. */
  readonly commas: readonly number[];
}

interface Open {
  readonly at: number;
  readonly sign: "{" | "(";
  readonly commas: number[];
}

/** Braces and parentheses that have their end, by where they begin. */
function pairsIn(signs: readonly string[]): Map<number, Pair> {
  const pairs = new Map<number, Pair>();
  const open: Open[] = [];
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at];
    const top = open.at(-1);
    if (sign === "\\") at += 1;
    else if (sign === "[") at = classAt(signs, at + 1)?.end ?? at;
    else if (sign === "{" || sign === "(") open.push({ at, sign, commas: [] });
    else if ((sign === "," && top?.sign === "{") || (sign === "|" && top?.sign === "(")) top.commas.push(at);
    else if ((sign === "}" && top?.sign === "{") || (sign === ")" && top?.sign === "(")) {
      pairs.set(top.at, { sign: top.sign, close: at, commas: top.commas });
      open.pop();
    }
  }
  return pairs;
}
