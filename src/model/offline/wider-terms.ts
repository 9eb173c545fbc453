import { stem } from "./stems.ts";
import type { Term } from "./terms.ts";
import { relatedWords } from "./vocabulary.ts";

const MOST = 5;

/** Words that mean nearly the same as a term. They count for it already; this is to search for them as well. */
export function relatedTerms(terms: readonly Term[]): Term[] {
  return asTerms(terms.filter(({ kind }) => kind === "word").flatMap(({ label }) => relatedWords(label)));
}

/** The parts of identifiers, for when nothing has the whole of them. */
export function partTerms(terms: readonly Term[]): Term[] {
  const exact = terms.filter(({ kind }) => kind !== "word");
  return asTerms(exact.flatMap(({ label }) => label.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []));
}

function asTerms(words: readonly string[]): Term[] {
  const found = new Map<string, Term>();
  for (const word of words.map((some) => some.toLowerCase()).filter((some) => some.length > 2)) {
    const stems = [stem(word)];
    found.set(stems.join(""), { label: word, kind: "word", weight: 0.6, stems, related: [] });
  }
  return [...found.values()].slice(0, MOST);
}
