import { type Intent, intentOf } from "./intent.ts";
import { distinctTerms, hasTellingTerms, type Term, termsOf } from "./terms.ts";

/** One part of a question: what it asks about, and what kind of place answers it. */
export interface Asked {
  readonly terms: readonly Term[];
  readonly intent: Intent;
}

const JOINT =
  /(?:,\s*|\s+)and\s+(?=(?:where|how|why|what|when|which|who)\s+[a-z]+\b)|[,，]?(?:并且|以及|而且)(?=.*(?:哪|如何|怎么|怎样|什么|为什么))/i;

/** How much less than its own words those count that a pronoun stands for. */
const BY_PRONOUN = 0.2;

/**
 * The parts of a question: "where is A and how does B end" has two. A part with a pronoun takes over the
 * words before it, with less weight; a part without words of its own is none.
 */
export function clausesOf(question: string): Asked[] {
  const parts = question.split(JOINT).filter((part): part is string => part !== undefined && part !== "");
  if (parts.length < 2 || !parts.every(hasTellingTerms)) return [asked(question, [])];
  return parts.map((part, at) => {
    const refers = /\b(?:it|its|they|them|their|this|that|those)\b|它|其/i.test(part);
    return asked(part, refers ? parts.slice(0, at) : []);
  });
}

function asked(part: string, before: readonly string[]): Asked {
  const meant = before.flatMap(termsOf).map((term) => ({ ...term, weight: term.weight * BY_PRONOUN }));
  return { terms: distinctTerms([...termsOf(part), ...meant]), intent: intentOf(part) };
}
