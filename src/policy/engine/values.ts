import { withoutBraces } from "../shell/braces.ts";
import { parseShell } from "../shell/parse.ts";
import type { ShellPart } from "../shell/script.ts";
import { literalWord, type Piece, type ShellWord, UNKNOWN, wordOf } from "../shell/words.ts";

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
