import {
  isSmallName,
  literalWord,
  type Piece,
  type ShellPart,
  type ShellWord,
  UNKNOWN,
} from "../shell/script.ts";
import type { Filled, KnownValues } from "./values.ts";

/** Their operands are text, so expansions in them can be harmless (§5.6). */
export const TALKERS: ReadonlySet<string> = new Set(["echo", "printf", "test", "["]);

/** Returns why words or their expansions are more than plain reading. */
export function plainWordProblem(words: readonly ShellWord[], { loopNames }: ShellPart): string | null {
  const name = words[0]?.value ?? "";
  const talks = TALKERS.has(name);
  for (const { pieces, raw } of words) {
    for (const piece of pieces)
      if (!isPlainPiece(piece, talks, loopNames)) return `${raw} is not known before it runs`;
  }
  return null;
}

/** Returns an expansion that changes the shell, or that is not understood. */
export function harmProblem(words: readonly ShellWord[], known: KnownValues): string | null {
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

/** Returns a name in arithmetic whose value would be evaluated as well: `x='PATH=0'; echo $((x))`. */
export function arithmeticProblem(text: string, { values }: Pick<KnownValues, "values">): string | null {
  const odd = (text.match(/[A-Za-z_]\w*/g) ?? []).find((name) =>
    values.get(name)?.some((value) => value?.literal && !/^[+-]?\w*$/.test(value.value)),
  );
  return odd === undefined ? null : `the value of ${odd} would be evaluated`;
}

/** Returns an unquoted value that a test splits into several words, one of which may be an operator. */
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

/** True if it is one word even without quotes, and neither an option nor an operator of a test; or unknown. */
function isTestWord(word: ShellWord | undefined): boolean {
  return !word?.literal || /^[\w./:@%+,][\w./:@%+,=-]*$/.test(word.value);
}

/** `$X/etc` is `/etc` if X is not set. */
export function leavesDirIfUnset({ value, pieces }: ShellWord, known: KnownValues): boolean {
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
