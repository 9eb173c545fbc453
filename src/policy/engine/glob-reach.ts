import type { Piece } from "../shell/script.ts";
import type { PathPattern } from "./path-pattern.ts";

/** One element of a pattern: a letter, any letter, or any number of them. */
interface Token {
  readonly type: "letter" | "any" | "many";
  /** Of `letter`. */
  readonly letter: string;
  /** It may also be a slash. */
  readonly slash: boolean;
  /** It is not a dot, because bash finds a hidden file only by a literal dot. */
  readonly noDot: boolean;
}

/**
 * True if a word with wildcards could find a file that a pattern denies, or a directory above it: some name matches
 * both. `anchors` are the base directories of the pattern.
 */
export function findsDenied(
  pieces: readonly Piece[],
  folders: readonly string[],
  pattern: PathPattern,
  anchors: readonly string[],
): boolean {
  const written = pieces.map(({ text }) => text).join("");
  const starts = written.startsWith("/") ? [""] : folders.map((folder) => `${folder}/`);
  const base = tokensOf(pattern.body.replace(/\/\*\*$/, ""), true);
  const below = [...base, literal("/"), many(true)];
  return anchors.some((anchor) => {
    const root = literals(anchor === "/" ? "/" : `${anchor}/`);
    const depths = pattern.anyDepth ? [root, [...root, many(true), literal("/")]] : [root];
    const rules = depths.flatMap((depth) => [base, below].map((end) => [...depth, ...end]));
    return starts.some((start) =>
      waysOf(pieces, start).some((way) => rules.some((rule) => intersects(way, rule))),
    );
  });
}

/** Returns the word, and each prefix of it that ends with a whole name. */
function waysOf(pieces: readonly Piece[], start: string): readonly (readonly Token[])[] {
  const tokens: Token[] = literals(start);
  const ways: Token[][] = [];
  for (const [at, { type, text }] of pieces.entries()) {
    if (type === "glob") {
      const first = tokens.at(-1)?.letter === "/";
      if (!text.startsWith("*")) tokens.push({ ...any(false), noDot: first });
      // A word that starts with `*` needs a first letter, or the wildcard finds nothing.
      else tokens.push(...(first ? [{ ...any(false), noDot: true }] : []), many(false));
      continue;
    }
    // `./a` is `a`.
    for (const letter of at === 0 ? text.replace(/^(?:\.\/+)+/, "") : text) {
      if (letter === "/" && tokens.some(({ type }) => type !== "letter")) ways.push([...tokens]);
      tokens.push(literal(letter));
    }
  }
  return [...ways, tokens];
}

/** Parses gitignore's syntax, read wide: a bracket is any letter. */
function tokensOf(pattern: string, wide: boolean): Token[] {
  const found = pattern.match(/\*\*\/?|\*|\?|\[[^\]]*\]|\\.|[\s\S]/gu) ?? [];
  return found.map((sign) => {
    if (sign.startsWith("**")) return many(true);
    if (sign === "*") return many(false);
    if (sign === "?" || (sign.startsWith("[") && sign.length > 1)) return any(!wide);
    return literal(sign.startsWith("\\") && sign.length > 1 ? sign.slice(1) : sign);
  });
}

/** True if some text matches both patterns. */
function intersects(one: readonly Token[], other: readonly Token[]): boolean {
  const width = other.length + 1;
  // Pairs of positions in both patterns that one text can reach.
  const pending = [0];
  const reached = new Set(pending);
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const [i, j] = [Math.floor(at / width), at % width];
    const [a, b] = [one[i], other[j]];
    if (a === undefined && b === undefined) return true;
    const next: (readonly [number, number])[] = [];
    if (a?.type === "many") next.push([i + 1, j]);
    if (b?.type === "many") next.push([i, j + 1]);
    if (a && b && share(a, b)) next.push([a.type === "many" ? i : i + 1, b.type === "many" ? j : j + 1]);
    for (const [x, y] of next) {
      const place = x * width + y;
      if (reached.has(place)) continue;
      reached.add(place);
      pending.push(place);
    }
  }
  return false;
}

function share(a: Token, b: Token): boolean {
  if (a.type === "letter" && b.type === "letter") return a.letter === b.letter;
  const known = a.type === "letter" ? a.letter : b.type === "letter" ? b.letter : null;
  if (known === null) return true;
  const open = a.type === "letter" ? b : a;
  return !(known === "/" && !open.slash) && !(known === "." && open.noDot);
}

function literal(letter: string): Token {
  return { type: "letter", letter, slash: false, noDot: false };
}

function literals(text: string): Token[] {
  return [...text].map(literal);
}

function any(slash: boolean): Token {
  return { type: "any", letter: "", slash, noDot: false };
}

function many(slash: boolean): Token {
  return { type: "many", letter: "", slash, noDot: false };
}
