import { distinctTerms, hasTellingTerms, type Term, termsOf } from "./terms.ts";

const JOINT =
  /(?:,\s*|\s+)and\s+(?=(?:where|how|why|what|when|which|who)\s+[a-z]+\b)|[,，]?(?:并且|以及|而且)(?=.*(?:哪|如何|怎么|怎样|什么|为什么))/i;

/**
 * What each part of a question asks about: "where is A and how does B end" has two. A part with a pronoun
 * takes over the words before it, with less weight; a part without words of its own is none.
 */
export function clausesOf(question: string): Term[][] {
  const parts = question.split(JOINT).filter((part): part is string => part !== undefined && part !== "");
  const clauses = parts.map(termsOf);
  if (parts.length < 2 || !parts.every(hasTellingTerms)) return [termsOf(question)];
  return clauses.map((terms, at) => {
    const before = clauses.slice(0, at).flat();
    if (!/\b(?:it|its|they|them|their|this|that|those)\b|它|其/i.test(parts[at] ?? "")) return terms;
    return distinctTerms([...terms, ...before.map((term) => ({ ...term, weight: term.weight * 0.3 }))]);
  });
}
