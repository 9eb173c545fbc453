import { refuse, type Uses, uses } from "./uses.ts";
import type { ShellWord } from "./words.ts";

/** `printf -v` sets a variable, and so does `%n`. */
export function printfUses(words: readonly ShellWord[]): Uses {
  const ended = words[0]?.value === "--";
  const format = words[ended ? 1 : 0];
  if (format === undefined) return uses({});
  if (!format.literal) return refuse("the format of printf is not written out");
  if (!ended && format.value.startsWith("-")) return refuse("printf has options");
  return /%[^%a-zA-Z]*[hlLjztq]*n/.test(format.value.replaceAll("%%", ""))
    ? refuse("%n of printf sets a variable")
    : uses({});
}

const COMPARISON = /^-(?:eq|ne|lt|le|gt|ge)$/;
const UNARY = /^-[a-zA-Z]$/;
const BINARY = /^(?:=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** Tests that look a name up as a variable run what its subscript has, so that no word may become such an operator. */
export function testUses(words: readonly ShellWord[]): Uses {
  const values = words.map(({ value }) => value);
  if (values.includes("-v") || values.includes("-R")) return refuse("it tests a variable by its name");
  const compared = values.flatMap((value, at) =>
    COMPARISON.test(value) ? [words[at - 1], words[at + 1]] : [],
  );
  if (compared.some((word) => word?.literal && /[[$`]/.test(word.value)))
    return refuse("it compares what may run a command");
  if (!compared.every((word) => word !== undefined && isNumber(word)))
    return uses({ plain: "it compares what is not a plain number" });
  const odd = words.find((word, at) => mayBeOperator(word, words, at));
  return odd ? uses({ plain: `${odd.raw} may become a test of a variable by its name` }) : uses({});
}

/** What is not known must stay one word, and be alone or next to an operator that is written out. */
function mayBeOperator(word: ShellWord, words: readonly ShellWord[], at: number): boolean {
  const tame = word.pieces.every(({ type }) => type === "text" || type === "number" || type === "sum");
  if (word.literal || tame) return false;
  if (!/^"(?:[^"\\$`]|\\[\s\S]|\$(?!\()|\$\([\s\S]*\)|`[\s\S]*`)*"$/.test(word.raw)) return true;
  const [before = "", after = ""] = [words[at - 1], words[at + 1]].map((one) =>
    one?.literal ? one.value : "",
  );
  const alone = words.length === 1 || (words.length === 2 && before === "!");
  return !(alone || UNARY.test(before) || BINARY.test(before) || BINARY.test(after));
}

export function isNumber({ literal, value, pieces }: ShellWord): boolean {
  if (literal) return /^[+-]?\d+$/.test(value);
  return pieces.every(
    (piece) => piece.type === "number" || (piece.type === "text" && /^\d*$/.test(piece.text)),
  );
}
