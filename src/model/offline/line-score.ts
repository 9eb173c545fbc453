import type { Intent } from "./intent.ts";
import type { Lexer } from "./lexer.ts";
import type { LineKind } from "./line-kind.ts";
import { type Match, match, weightOf } from "./matching.ts";
import type { Term } from "./terms.ts";

/** One question, ready to be compared with lines. */
export interface Question {
  readonly terms: readonly Term[];
  readonly intent: Intent;
  readonly lexer: Lexer;
}

/** What a line is besides its words. */
export interface LineFacts {
  readonly text: string;
  readonly kind: LineKind;
  /** A comment stands right above it. */
  readonly documented: boolean;
}

/** What a line is worth as an answer. `weights`: how telling each term is. */
export function lineScore(
  question: Question,
  weights: readonly number[],
  facts: LineFacts,
  found: Match,
): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const base = weightOf(found.strengths, weights);
  if (total === 0) return 0;
  const near = found.count > 1 ? 1 + 0.6 * (found.count / found.span) * evenness(weights, found, base) : 1;
  const dense = 0.8 + 0.6 * Math.min(1, (2.5 * found.count) / (found.words + 1));
  const bonus = kindBonus(question, weights, facts, found) * textFactor(facts, found);
  return base * (0.4 + base / total) * near * dense * bonus;
}

/** 1 where no single term makes up more than half of what was matched; near 0 where one is all of it. */
function evenness(weights: readonly number[], { strengths }: Match, base: number): number {
  const most = Math.max(...weights.map((weight, at) => weight * (strengths[at] ?? 0)));
  return Math.min(1, 2 * (1 - most / base));
}

function kindBonus(
  question: Question,
  weights: readonly number[],
  { kind, text, documented }: LineFacts,
  found: Match,
): number {
  const { wants } = question.intent;
  switch (kind.type) {
    case "definition": {
      if (wants === "uses") return 0.6;
      // What one function calls something decides nothing.
      if (kind.local) return 0.6;
      const reach = kind.indent === 0 ? 1 : 0.6;
      const bonus = nameMatch(question, weights, kind.name) * reach * (documented ? 1.2 : 1);
      return 1 + (wants === "definition" ? 1.6 : 0.8) * bonus;
    }
    case "field":
      return wants === "uses" ? 0.9 : 1 + 0.4 * nameMatch(question, weights, kind.name);
    case "heading":
    case "comment":
      return found.count < 2 ? 1 : wants === "explanation" ? 1.5 : 1.35;
    case "import":
      return wants === "uses" ? 0.8 : 0.35;
    case "other":
      return wants === "uses" && isCalled(question.terms[0], text) ? 2 : 1;
    default:
      return kind satisfies never;
  }
}

function isCalled(term: Term | undefined, text: string): boolean {
  return term !== undefined && text.includes(`${term.label}(`);
}

/** A line that asks the same does not answer it, nor does one cell of a long table of words. */
function textFactor({ text, kind }: LineFacts, { count, words }: Match): number {
  if (count > 1 && (/[?？]["'`”]?[,;)\]]*\s*$/u.test(text) || quotesQuestion(text))) return 0.2;
  if (kind.type === "definition" || kind.type === "field") return 1;
  if (kind.type === "other" && words > 30) return 0.15;
  return kind.type === "other" && /^\s*["'`]/.test(text) ? 0.7 : 1;
}

function quotesQuestion(text: string): boolean {
  return /["'`](?:where|how|why|what|when|which|who)\s\w/i.test(text) || /[?？]["'`”]/u.test(text);
}

/** How well a defined name is what was asked for: the part of it that was named, and of the question that it names. */
function nameMatch({ terms, lexer }: Question, weights: readonly number[], defined: string): number {
  const name = lexer.stems(defined);
  const { strengths } = match(terms, name);
  const parts = terms.reduce((sum, term, at) => sum + (strengths[at] ?? 0) * term.stems.length, 0);
  const own = weights.filter((_, at) => (terms[at]?.weight ?? 0) >= 0.5);
  const total = own.reduce((sum, weight) => sum + weight, 0);
  if (name.length === 0 || total === 0) return 0;
  return Math.min(1, parts / name.length) * Math.min(1, (1.2 * weightOf(strengths, weights)) / total);
}
