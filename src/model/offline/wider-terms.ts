import { stem } from "./stems.ts";
import type { Term } from "./terms.ts";
import { relatedWords } from "./vocabulary.ts";

const MOST = 5;

/** What to look for when the words themselves led nowhere: parts of identifiers, words that mean nearly the same. */
export function widerTerms(terms: readonly Term[]): Term[] {
  const known = new Set(terms.flatMap((term) => (term.kind === "word" ? term.stems : [])));
  const words = terms.flatMap((term) => {
    if (term.kind === "word") return relatedWords(term.label).map((word) => ({ word, weight: 0.5 }));
    return (term.label.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []).map((word) => ({ word, weight: 0.8 }));
  });
  const wider = new Map<string, Term>();
  for (const { word, weight } of words) {
    const stemmed = stem(word.toLowerCase());
    if (word.length < 3 || known.has(stemmed) || wider.has(stemmed)) continue;
    wider.set(stemmed, { label: word.toLowerCase(), kind: "word", weight, stems: [stemmed], related: [] });
  }
  return [...wider.values()].slice(0, MOST);
}
