import type { ShellPart } from "./script.ts";
import type { ShellWord } from "./words.ts";

/** What may leave the shell in another folder than before. */
const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"]);

/** A first look, wide: any word of the command may turn out to be the one that moves. */
export function changesDirectory(part: ShellPart): boolean {
  return part.words.some(({ value }) => MOVERS.has(value));
}

/** Proxies are spelt in small letters and are environment all the same. */
const PROXY = /_proxy$/;

/** Whether a loop may set this name without changing what later commands are or do: `for PATH in …` does. */
export function harmlessLoopName(name: string): boolean {
  return /^(?:[a-z_][a-z0-9_]*|[A-Z]|FILE|DIR|ITEM)$/.test(name) && !PROXY.test(name) && name !== "_";
}

/** One word wherever it is put without quotes, and neither an option nor an operator of a test. */
export function isPlainValue({ literal, value }: ShellWord): boolean {
  return literal && /^[\w./:@%+,][\w./:@%+,=-]*$/.test(value);
}
