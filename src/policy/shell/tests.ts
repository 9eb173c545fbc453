import { refuseUse, type Uses, uses } from "./uses.ts";
import type { ShellWord } from "./words.ts";

/** `printf -v` sets a variable, and so does `%n`. */
export function printfUses(words: readonly ShellWord[]): Uses {
  const [format] = words[0]?.value === "--" ? words.slice(1) : words;
  if (format === undefined) return uses({});
  if (!format.literal) return refuseUse("the format of printf is not written out");
  if (format === words[0] && format.value.startsWith("-")) return refuseUse("printf has options");
  const sets = /%[^%a-zA-Z]*[hlLjztq]*n/.test(format.value.replaceAll("%%", ""));
  return sets ? refuseUse("%n of printf sets a variable") : uses({});
}

const BINARY = /^(?:=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** Tests that look a name up as a variable run what its subscript has, so that no word may become such an operator. */
export function testUses(words: readonly ShellWord[]): Uses {
  if (words.some(({ value }) => value === "-v" || value === "-R"))
    return refuseUse("it tests a variable by its name");
  const compared = findCompared(words);
  if (compared.some((word) => word?.literal && /[[$`]/.test(word.value)))
    return refuseUse("it compares what may run a command");
  if (!compared.every(isNumberWord)) return uses({ plain: "it compares what is not a plain number" });
  const odd = words.find((word, at) => mayBeOperator(word, words, at));
  return uses({ plain: odd ? `${odd.raw} may become a test of a variable by its name` : null });
}

/** Returns both sides of arithmetic comparisons. */
export function findCompared(words: readonly ShellWord[]): readonly (ShellWord | undefined)[] {
  return words.flatMap(({ value }, at) =>
    /^-(?:eq|ne|lt|le|gt|ge)$/.test(value) ? [words[at - 1], words[at + 1]] : [],
  );
}

/** What is not known must stay one word, and be alone or next to an operator that is written out. */
function mayBeOperator(word: ShellWord, words: readonly ShellWord[], at: number): boolean {
  if (word.pieces.every(({ type }) => type === "text" || type === "number" || type === "sum")) return false;
  if (!/^"(?:[^"\\$`]|\\[\s\S]|\$(?!\()|\$\([\s\S]*\)|`[\s\S]*`)*"$/.test(word.raw)) return true;
  const [before = "", after = ""] = [words[at - 1], words[at + 1]].map((one) =>
    one?.literal ? one.value : "",
  );
  const alone = words.length === 1 || (words.length === 2 && before === "!");
  return !(alone || /^-[a-zA-Z]$/.test(before) || BINARY.test(before) || BINARY.test(after));
}

export function isNumberWord(word: ShellWord | undefined): boolean {
  if (word === undefined || word.literal) return /^[+-]?\d+$/.test(word?.value ?? "");
  return word.pieces.every(({ type, text }) => type === "number" || (type === "text" && /^\d*$/.test(text)));
}
