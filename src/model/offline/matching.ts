import { stem, subwords } from "./stems.ts";
import type { Term } from "./terms.ts";

/** Which terms stand in a text: `strength` (0 to 1) and place (counted in words) of each. */
export interface Match {
  readonly strengths: readonly number[];
  /** Words from the first to the last matched one. */
  readonly span: number;
  /** How many different terms are there. */
  readonly count: number;
  /** How many words the text has. */
  readonly words: number;
}

/** Longer lines are data, not words. */
const MOST_CHARACTERS = 300;

/** Stems of words, kept for one decision: the same few thousand words come again and again. */
export type Stemmer = (text: string) => readonly string[];

export function stemmer(): Stemmer {
  const known = new Map<string, string>();
  return (text) =>
    subwords(text.slice(0, MOST_CHARACTERS)).map((word) => {
      const found = known.get(word);
      if (found !== undefined) return found;
      const made = stem(word);
      known.set(word, made);
      return made;
    });
}

export function match(terms: readonly Term[], stems: readonly string[]): Match {
  const strengths: number[] = [];
  let first = stems.length;
  let last = -1;
  let count = 0;
  for (const term of terms) {
    const hit = term.kind === "word" ? wordHit(term, stems) : sequenceHit(term.stems, stems);
    strengths.push(hit.strength);
    if (hit.strength === 0) continue;
    count += 1;
    first = Math.min(first, hit.at);
    last = Math.max(last, hit.at);
  }
  return { strengths, span: last < 0 ? 0 : last - first + 1, count, words: stems.length };
}

interface Hit {
  readonly strength: number;
  readonly at: number;
}

const NO_HIT: Hit = { strength: 0, at: 0 };

function wordHit(term: Term, stems: readonly string[]): Hit {
  const [wanted = ""] = term.stems;
  let best = NO_HIT;
  for (const [at, found] of stems.entries()) {
    if (found === wanted) return { strength: 1, at };
    const strength = likeness(found, wanted, term.related);
    if (strength > best.strength) best = { strength, at };
  }
  return best;
}

function likeness(found: string, wanted: string, related: readonly string[]): number {
  if (related.includes(found)) return 0.5;
  if (wanted.length >= 5 && found.startsWith(wanted)) return 0.6;
  return wanted.length >= 6 && found.length >= 4 && wanted.startsWith(found) ? 0.5 : 0;
}

/** The parts of an identifier must follow one another: `big_red`, `bigRed`, "big red". */
function sequenceHit(wanted: readonly string[], stems: readonly string[]): Hit {
  const [head] = wanted;
  for (const [at, found] of stems.entries()) {
    if (found !== head && !(isHan(head) && head !== undefined && found.includes(head))) continue;
    if (wanted.every((part, offset) => offset === 0 || stems[at + offset] === part))
      return { strength: 1, at };
  }
  return NO_HIT;
}

function isHan(text: string | undefined): boolean {
  return text !== undefined && /^\p{Script=Han}/u.test(text);
}
