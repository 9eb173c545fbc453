import { lexer } from "./lexer.ts";
import { isComment } from "./line-kind.ts";
import { match, weightOf } from "./matching.ts";
import { isProse, type Passage } from "./passages.ts";
import type { Term } from "./terms.ts";
import type { SeenLine } from "./tool-output.ts";

const LONGEST_LINE = 160;
const LONGEST_SENTENCE = 240;

/** A passage under its citation, each line with its number and its very text (cut where it is very long). */
export function quoted({ path, line, lines }: Passage): string {
  const rows = lines.map((seen) => `    ${String(seen.line).padStart(4)}  ${cut(seen.text, LONGEST_LINE)}`);
  return [`${path}:${line}`, ...rows].join("\n");
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/**
 * The sentence of a passage's comment (or prose) that has most of what was asked for; of a definition that
 * was found by its name, the first sentence of its comment.
 */
export function tellingSentence(
  terms: readonly Term[],
  lines: readonly SeenLine[],
  byName: boolean,
): string | undefined {
  const prose = lines
    .filter(({ path, text }) => isProse(path) || isComment(text.trimStart()))
    .map(({ text }) => bare(text))
    .filter((text) => text !== "");
  const { stems } = lexer();
  const weights = terms.map(({ weight }) => weight);
  const sentences = sentencesOf(prose);
  const [first] = sentences;
  let best = byName && first !== undefined ? { sentence: first, worth: 0.01 } : { sentence: "", worth: 0 };
  for (const sentence of sentences) {
    const worth = weightOf(match(terms, stems(sentence)).strengths, weights);
    if (worth > best.worth) best = { sentence, worth };
  }
  return best.worth > 0 ? cut(best.sentence, LONGEST_SENTENCE) : undefined;
}

/** Without the signs that make it a comment. */
function bare(comment: string): string {
  return comment
    .trim()
    .replace(/^(?:\/\*\*?|\*\/|\/{2,}!?|\*|#+|--+|;+|"""|'''|<!--)\s?/, "")
    .replace(/\s*(?:\*\/|-->|"""|-{3,})$/, "")
    .replace(/^-{2,}\s*/, "")
    .trim();
}

/** A short line ends a sentence even without a full stop: it is a heading or an item. */
function sentencesOf(lines: readonly string[]): string[] {
  const text = lines.map((line) => (line.length < 60 ? `${line}\n` : `${line} `)).join("");
  return (
    text
      .split(/(?<=[.!?])\s+(?=[A-Z`])|(?<=[。！？])|\n/u)
      .map((sentence) => sentence.trim())
      // Code that was commented out says nothing.
      .filter((sentence) => sentence !== "" && !/[={};([,]$|^\/\^/.test(sentence))
  );
}
