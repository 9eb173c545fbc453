import { type LineKind, lineKind } from "./line-kind.ts";
import { stem, subwords } from "./stems.ts";

/** What lines say and are, worked out once in a decision: the same lines are ranked several times. */
export interface Lexer {
  /** The stems of the words in a text, in order. */
  readonly stems: (text: string) => readonly string[];
  readonly kind: (path: string, text: string) => LineKind;
}

/** Longer lines are data, not words. */
const MOST_CHARACTERS = 300;

export function lexer(): Lexer {
  const words = new Map<string, string>();
  const texts = new Map<string, readonly string[]>();
  const kinds = new Map<string, LineKind>();
  const stemOf = (word: string) => kept(words, word, () => stem(word));
  return {
    stems: (text) => kept(texts, text, () => subwords(text.slice(0, MOST_CHARACTERS)).map(stemOf)),
    kind: (path, text) =>
      kept(kinds, `${path.slice(path.lastIndexOf(".") + 1)} ${text}`, () => lineKind(path, text)),
  };
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
