import type { ShellPart } from "../shell/script.ts";
import { isSmallName, literalWord, type Piece, type ShellWord, UNKNOWN } from "../shell/words.ts";
import type { Filled, Known } from "./values.ts";

/** Their operands are text, and what may expand in them may do so harmlessly (§5.6). */
export const TALKERS: ReadonlySet<string> = new Set(["echo", "printf", "test", "["]);

/** Why words or their expansions keep a command from being plain reading. */
export function plainWordProblem(words: readonly ShellWord[], { loopNames }: ShellPart): string | null {
  const name = words[0]?.value ?? "";
  const talks = TALKERS.has(name);
  for (const { pieces, raw } of words) {
    for (const piece of pieces)
      if (!isPlainPiece(piece, talks, loopNames)) return `${raw} is not known before it runs`;
  }
  return null;
}

/** An expansion that changes the shell, or that nothing here understands. */
export function harmProblem(words: readonly ShellWord[], known: Known): string | null {
  for (const { pieces, raw } of words) {
    for (const piece of pieces) {
      if (piece.type !== "forbidden") continue;
      if (!piece.harmless) return `${raw} may do more than it shows`;
      if (piece.text.startsWith("$((")) {
        const problem = arithmeticProblem(piece.text, known);
        if (problem !== null) return problem;
      }
    }
  }
  return null;
}

/** A name in arithmetic whose value would be evaluated as well: `x='PATH=0'; echo $((x))`. */
export function arithmeticProblem(text: string, { values }: Pick<Known, "values">): string | null {
  const odd = (text.match(/[A-Za-z_]\w*/g) ?? []).find((name) =>
    values.get(name)?.some((value) => value?.literal && !/^[+-]?\w*$/.test(value.value)),
  );
  return odd === undefined ? null : `the value of ${odd} would be evaluated`;
}

/** A value without quotes that a test takes for several words, one of which may be an operator. */
export function splitProblem(words: readonly ShellWord[], variants: readonly Filled[]): string | null {
  const at = words.findIndex(
    ({ literal, raw, pieces }, index) =>
      !literal &&
      !raw.startsWith('"') &&
      pieces.some(({ type }) => type === "variable") &&
      variants.some((variant) => variant.words.length === words.length && !isTestWord(variant.words[index])),
  );
  return at < 0 ? null : `${words[at]?.raw} may become a test of a variable by its name`;
}

/** One word wherever it is put without quotes, and neither an option nor an operator of a test; or not known at all. */
function isTestWord(word: ShellWord | undefined): boolean {
  return !word?.literal || /^[\w./:@%+,][\w./:@%+,=-]*$/.test(word.value);
}

/** `$X/etc` is `/etc` if X is not set. */
export function unsetLeadsOut({ value, pieces }: ShellWord, known: Known): boolean {
  const [first] = pieces;
  return first?.type === "variable" && value.startsWith(`${UNKNOWN}/`) && !known.values.has(first.name);
}

function isPlainPiece(piece: Piece, talks: boolean, loopNames: ShellPart["loopNames"]): boolean {
  switch (piece.type) {
    case "text":
    case "glob":
      return true;
    case "tilde":
      return piece.text === "~" || talks;
    case "number":
    case "substitution":
      return talks;
    case "variable":
      return talks && loopNames.has(piece.name) && isSmallName(piece.name);
    case "brace":
    case "sum":
    case "forbidden":
      return false;
    default:
      return piece satisfies never;
  }
}

export function unknownWord(word: ShellWord): ShellWord {
  return { ...literalWord(word.value.replaceAll("{}", UNKNOWN)), literal: false, raw: word.raw };
}
