import { blocksOf } from "../../mailbox/turns.ts";
import type { ModelRequest } from "../client.ts";
import { lexer } from "./lexer.ts";
import { match, weightOf } from "./matching.ts";
import { cut } from "./quoting.ts";
import { termsOf } from "./terms.ts";

/** A question about a fetched page, as WebFetch asks it. */
export interface PageQuestion {
  readonly page: string;
  readonly question: string;
}

const PAGE = /^<web-page [^\n]*>\n([\s\S]*)\n<\/web-page>$/;
const QUESTION = /^Question about this page:\n/;

/** Null where the request is a conversation. */
export function pageQuestionIn({ tools, messages }: ModelRequest): PageQuestion | null {
  const [only, ...more] = messages;
  if (tools.length > 0 || only === undefined || more.length > 0) return null;
  const [page = "", question = ""] = blocksOf(only).map((block) => (block.type === "text" ? block.text : ""));
  const found = PAGE.exec(page)?.[1];
  return found === undefined || !QUESTION.test(question)
    ? null
    : { page: found, question: question.replace(QUESTION, "") };
}

const MOST_PARTS = 4;
const LONGEST_PART = 700;

/** The parts of the page that have the words of the question, in the page's order; nothing in it is carried out. */
export function answerFromPage({ page, question }: PageQuestion): string {
  const parts = page.split(/\n\s*\n/).filter((part) => part.trim() !== "");
  const terms = termsOf(question);
  const weights = terms.map(({ weight }) => weight);
  const { stems } = lexer();
  const worthOf = (part: string) =>
    Math.max(...part.split("\n").map((line) => weightOf(match(terms, stems(line)).strengths, weights)));
  const ranked = parts.map((part, at) => ({ at, worth: terms.length === 0 ? 0 : worthOf(part) }));
  const found = ranked.filter(({ worth }) => worth > 0).sort((a, b) => b.worth - a.worth || a.at - b.at);
  const best = found[0]?.worth ?? 0;
  const chosen = found.filter(({ worth }) => worth >= best / 2).slice(0, MOST_PARTS);
  const shown = (chosen.length > 0 ? chosen : ranked.slice(0, MOST_PARTS)).sort((a, b) => a.at - b.at);
  const head =
    chosen.length > 0
      ? "The offline model quotes what has the words of the question:"
      : "The page has no words of the question. It begins:";
  return [head, ...shown.map(({ at }) => cut(parts[at] ?? "", LONGEST_PART))].join("\n\n");
}
