import type { LoopNames } from "./script.ts";
import { refuse, type Uses } from "./uses.ts";
import type { Piece, ShellWord } from "./words.ts";

const COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;
const UNARY = /^-[a-zA-Z]$/;
const BINARY = /^(?:=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;

/**
 * What `test` and `[` use; `words` without the closing bracket. Tests that look a name up as a variable run what
 * stands in its subscript, so that no word may turn out to be such an operator.
 */
export function testUses(words: readonly ShellWord[], loopNames: LoopNames): Uses {
  const values = words.map(({ value }) => value);
  if (values.includes("-v") || values.includes("-R")) return refuse("it tests a variable by its name");
  const odd = words.find((word, at) => mayBeOperator(word, words, at, loopNames));
  if (odd) return refuse(`${odd.raw} may become a test of a variable by its name`);
  const compared = values.flatMap((value, at) =>
    COMPARISON.test(value) ? [words[at - 1], words[at + 1]] : [],
  );
  return compared.every((word) => word !== undefined && isNumber(word))
    ? { why: null, reads: [], writes: [] }
    : refuse("it compares what is not a plain number");
}

/** What is not known must stay one word, and stand alone or beside an operator that is written. */
function mayBeOperator(
  word: ShellWord,
  words: readonly ShellWord[],
  at: number,
  loopNames: LoopNames,
): boolean {
  if (word.literal || word.pieces.every((piece) => isTame(piece, loopNames))) return false;
  if (!isQuoted(word)) return true;
  const [before, after] = [words[at - 1], words[at + 1]];
  const alone = words.length === 1 || (words.length === 2 && before?.value === "!");
  return !(
    alone ||
    (before?.literal && (UNARY.test(before.value) || BINARY.test(before.value))) ||
    (after?.literal && BINARY.test(after.value))
  );
}

/** `printf -v` sets a variable and runs what stands in its subscript; anything before the format may be `-v`. */
export function printfSets(words: readonly ShellWord[], loopNames: LoopNames): boolean {
  const [format] = words;
  const [first] = format?.pieces ?? [];
  if (!format || !first) return false;
  if (format.literal) return format.value.startsWith("-v");
  if (first.type === "text" && first.text !== "") return first.text.startsWith("-");
  return !isTame(first, loopNames);
}

/** One double-quoted text and nothing beside it. */
function isQuoted({ raw }: ShellWord): boolean {
  return /^"(?:[^"\\$`]|\\[\s\S]|\$(?!\()|\$\([\s\S]*\)|`[\s\S]*`)*"$/.test(raw);
}

function isTame(piece: Piece, loopNames: LoopNames): boolean {
  switch (piece.type) {
    case "text":
    case "number":
    case "sum":
      return true;
    case "variable":
      return loopNames.get(piece.name)?.plain === true;
    case "glob":
    case "brace":
    case "tilde":
    case "substitution":
    case "forbidden":
      return false;
    default:
      return piece satisfies never;
  }
}

export function isNumber({ literal, value, pieces }: ShellWord): boolean {
  return literal
    ? /^[+-]?\d+$/.test(value)
    : pieces.every((piece) => piece.type === "number" || isDigits(piece));
}

function isDigits(piece: Piece): boolean {
  return piece.type === "text" && /^\d*$/.test(piece.text);
}
