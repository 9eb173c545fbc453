import type { ShellPart } from "./script.ts";
import type { ShellWord } from "./words.ts";

/** What may leave the shell in another directory than before. */
const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"]);

/** A first look, wide: any word of the command may turn out to be the one that moves. */
export function changesDirectory(part: ShellPart): boolean {
  return part.words.some(({ value }) => MOVERS.has(value));
}

/** Whether setting this name leaves later commands what they are: `for PATH in …` does not (§5.9). */
export function isSmallName(name: string): boolean {
  return /^[a-z]\w*$/.test(name);
}

/** One word wherever it is put without quotes, and neither an option nor an operator of a test. */
export function isPlainValue({ literal, value }: ShellWord): boolean {
  return literal && /^[\w./:@%+,][\w./:@%+,=-]*$/.test(value);
}
