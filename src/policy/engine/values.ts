import { parseShell } from "../shell/parse.ts";
import { literalWord, type Piece, type ShellPart, type ShellWord, UNKNOWN, wordOf } from "../shell/script.ts";

/** What is known of variables where a command runs. */
export interface KnownValues {
  readonly home: string;
  /** The possible working directories; empty means any. */
  readonly dirs: readonly string[];
  readonly values: ReadonlyMap<string, readonly (ShellWord | null)[]>;
}

/** A command's words with known expansions filled in. */
export interface Filled {
  /** Unknown values are `UNKNOWN` in the text, and such a word is not literal. */
  readonly words: readonly ShellWord[];
  /** Further words on the line that may become part of it, such as the output of `$(echo x)`. */
  readonly shown: readonly ShellWord[];
}

/** The limit of combinations. */
const MOST = 256;
/** The limit for a value that names itself. */
const DEPTH = 6;

type Choice = ReadonlyMap<string, ShellWord | null>;

/** Returns the words for each combination of values, or null if there are too many. */
export function fillIn(words: readonly ShellWord[], known: KnownValues): readonly Filled[] | null {
  if (words.every(({ literal }) => literal)) return [{ words, shown: [] }];
  const expanded = withoutBraces(words) ?? words;
  let choices: Choice[] = [new Map()];
  for (const name of namesIn(expanded, known, DEPTH)) {
    const values = (known.values.get(name) ?? []).flatMap(withEachBrace);
    if (choices.length * values.length > MOST) return null;
    choices = choices.flatMap((choice) => values.map((value) => new Map([...choice, [name, value]])));
  }
  return choices.map((choice) => {
    const shown: ShellWord[] = [];
    const filled = expanded.map((word) => fill(word, choice, known, shown));
    return { words: filled, shown };
  });
}

function withEachBrace(value: ShellWord | null): readonly (ShellWord | null)[] {
  return value === null ? [null] : (withoutBraces([value]) ?? [value]);
}

function namesIn(
  words: readonly (ShellWord | null)[],
  known: KnownValues,
  depth: number,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const word of words) {
    for (const piece of word?.pieces ?? []) {
      if (piece.type !== "variable" || names.has(piece.name)) continue;
      const values = known.values.get(piece.name);
      if (values === undefined) continue;
      names.add(piece.name);
      if (depth > 0) for (const inner of namesIn(values, known, depth - 1)) names.add(inner);
    }
  }
  return names;
}

function fill(word: ShellWord, choice: Choice, known: KnownValues, shown: ShellWord[]): ShellWord {
  if (word.literal) return word;
  const pieces = filledPieces(word.pieces, choice, known, shown, DEPTH);
  const value = pieces.map(({ text }) => text).join("");
  // Without quotes, a value with blanks becomes several words.
  if (/\s/.test(value) && !/^["']/.test(word.raw))
    shown.push(...value.split(/\s+/).filter(Boolean).map(literalWord));
  return {
    ...wordOf(pieces, word.raw),
    literal: pieces.every(({ type }) => type === "text") && !value.includes(UNKNOWN),
  };
}

function filledPieces(
  pieces: readonly Piece[],
  choice: Choice,
  known: KnownValues,
  shown: ShellWord[],
  depth: number,
): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    switch (piece.type) {
      case "text":
      case "glob":
        return [piece];
      case "tilde": {
        const own = piece.text === "~" ? known.home : piece.text === "~+" ? known.dirs[0] : undefined;
        return [own === undefined ? piece : text(own)];
      }
      case "variable": {
        const value = choice.get(piece.name);
        if (value && depth > 0) return filledPieces(value.pieces, choice, known, shown, depth - 1);
        if (value !== undefined) return [unknown(piece)];
        if (piece.name === "HOME") return [text(known.home)];
        if (piece.name === "PWD" && known.dirs[0] !== undefined) return [text(known.dirs[0])];
        return [unknown(piece)];
      }
      case "substitution":
        if (/^(?:\$\(\s*pwd\s*\)|`\s*pwd\s*`)$/.test(piece.text) && known.dirs[0] !== undefined)
          return [text(known.dirs[0])];
        shown.push(...literalOutput(piece.text));
        return [unknown(piece)];
      case "forbidden":
        // `${X:-/etc/passwd}` shows a possible value.
        return piece.unset === "" || piece.unset === piece.text ? [unknown(piece)] : [text(piece.unset)];
      case "brace":
      case "number":
      case "sum":
        return [unknown(piece)];
      default:
        return piece satisfies never;
    }
  });
}

/** Returns what echo and printf in a substitution write literally. */
function literalOutput(substitution: string): readonly ShellWord[] {
  const inner = substitution.replace(/^(?:\$\(|[<>]\(|`)/, "").replace(/[)`]$/, "");
  return parseShell(inner).parts.flatMap(({ words }) => literalWords(words));
}

/** Returns words that echo or printf writes literally, or that find searches for, split at blanks. */
export function literalWords(words: readonly ShellWord[]): readonly ShellWord[] {
  const [command, ...rest] = words;
  const known = rest.filter(({ literal }) => literal);
  switch (command?.value) {
    case "echo":
    case "printf":
      return known.flatMap(({ value }) => wordsIn(value));
    case "find":
      return known.filter((_, at) => /^-i?(?:name|path|wholename)$/.test(known[at - 1]?.value ?? ""));
    default:
      return [];
  }
}

/** Returns what xargs passes to its command, as far as the line shows it. */
export function fedBy({ words, before, documents }: ShellPart): readonly ShellWord[] {
  if (!words.some(({ value }) => value === "xargs")) return [];
  return [...literalWords(before?.at(-1)?.words ?? []), ...documents.flatMap(wordsIn)];
}

/** Returns a text as one word, and as the words that blanks, quotes and escapes make of it. */
function wordsIn(text: string): readonly ShellWord[] {
  const split = text
    .replaceAll(/\\[ntr0]/g, " ")
    .replaceAll(/[\\'"]/g, "")
    .split(/\s+/);
  return [text, ...split].filter(Boolean).map(literalWord);
}

function text(value: string): Piece {
  return { type: "text", text: value, quoted: true };
}

function unknown(piece: Piece): Piece {
  return { ...piece, text: UNKNOWN };
}

/** More words than this are not made: what expands so far is judged by its text alone. */
const MAX_WORDS = 4096;
/** A letter, an escape or a quoted text. */
const TOKEN = /\\[\s\S]?|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|[\s\S]/g;

/** Returns the words that bash makes of braces, for deny rules and critical removals, or null. */
export function withoutBraces(words: readonly ShellWord[]): readonly ShellWord[] | null {
  if (!words.some(({ pieces }) => pieces.some(({ type }) => type === "brace"))) return null;
  const raws = words.flatMap(({ raw }) => expand(raw.match(TOKEN) ?? []).slice(0, MAX_WORDS));
  if (raws.length > MAX_WORDS) return null;
  const [part] = parseShell(raws.join(" ")).parts.slice(-1);
  return part?.words ?? null;
}

function expand(tokens: readonly string[]): string[] {
  for (let start = tokens.indexOf("{"); start >= 0; start = tokens.indexOf("{", start + 1)) {
    const brace = tokens[start - 1] === "$" ? null : readBrace(tokens, start);
    if (brace === null) continue;
    const head = tokens.slice(0, start).join("");
    const tails = expand(tokens.slice(brace.end + 1));
    const found: string[] = [];
    for (const middle of brace.parts.flatMap(expand)) {
      found.push(...tails.map((tail) => `${head}${middle}${tail}`));
      if (found.length > MAX_WORDS) break;
    }
    return found;
  }
  return [tokens.join("")];
}

/** Returns what is between its commas, or the steps of its range, or null if it does not expand. */
function readBrace(tokens: readonly string[], start: number): { end: number; parts: string[][] } | null {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (at < start) continue;
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth === 0) {
      const steps = parts.length > 1 ? parts : range(parts.flat().join(""));
      return steps && { end: at, parts: steps };
    }
    if (token === "," && depth === 1) parts.push([]);
    else if (at > start) parts.at(-1)?.push(token);
  }
  return null;
}

function range(inner: string): string[][] | null {
  const [, from = "", to = "", first, last, step = "1"] =
    /^(?:(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d+))?$/.exec(inner) ?? [];
  if (from === "" && first === undefined) return null;
  const codeOf = (letter: string | undefined) => letter?.charCodeAt(0);
  const [a, b] = [codeOf(first) ?? Number(from), codeOf(last) ?? Number(to)];
  const by = Math.max(1, Math.abs(Number(step))) * (a <= b ? 1 : -1);
  const count = Math.min(Math.floor(Math.abs(b - a) / Math.abs(by)) + 1, MAX_WORDS + 1);
  const width = /^-?0\d/.test(from) || /^-?0\d/.test(to) ? Math.max(from.length, to.length) : 0;
  const padded = (n: number) =>
    n < 0 ? `-${String(-n).padStart(width - 1, "0")}` : String(n).padStart(width, "0");
  return Array.from({ length: count }, (_, i) => a + i * by).map((n) => [
    first === undefined ? padded(n) : String.fromCharCode(n),
  ]);
}
