import type { Term } from "./terms.ts";

/** Which terms stand in a text: `strengths` (0 to 1) of each, and how near to one another. */
export interface Match {
  readonly strengths: readonly number[];
  /** Words from the first to the last matched one. */
  readonly span: number;
  /** How many different terms are there. */
  readonly count: number;
  /** How many words the text has. */
  readonly words: number;
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

/** The share of each term's weight that its match earns, added up. */
export function weightOf(strengths: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (strengths[at] ?? 0), 0);
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
  const [head = ""] = wanted;
  const isHan = /^\p{Script=Han}/u.test(head);
  for (const [at, found] of stems.entries()) {
    if (found !== head && !(isHan && found.includes(head))) continue;
    if (wanted.every((part, offset) => offset === 0 || stems[at + offset] === part))
      return { strength: 1, at };
  }
  return NO_HIT;
}
