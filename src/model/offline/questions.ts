import { splitOutsideQuotes } from "./quotations.ts";
import { termsOf } from "./terms.ts";

/** More than anybody asks by hand; pasted text may look like thousands. */
export const MOST_QUESTIONS = 100;

/** What stands further on is not taken for questions. */
const MOST_CHARACTERS = 40_000;
const MOST_PARTS = 300;

/**
 * The questions in a prompt, in their order: lines, items of a list, sentences that end in a question mark,
 * parts between semicolons. A part without anything to search for belongs to the one before it. Empty:
 * the prompt asks for nothing that can be searched for.
 */
export function questionsIn(prompt: string): string[] {
  const items = prompt
    .slice(0, MOST_CHARACTERS)
    .split("\n")
    .flatMap((line) => itemsOf(line));
  const listed = items.some(({ listed: inList }) => inList);
  const asked = items
    // What stands around a list introduces it.
    .filter((item) => !listed || item.listed || item.text.endsWith("?") || item.text.endsWith("？"))
    .flatMap(({ text }) => sentences(text))
    .slice(0, MOST_PARTS);
  const questions: string[] = [];
  for (const text of joinedRemarks(asked)) {
    const last = questions.length - 1;
    if (isSearchable(text)) questions.push(text);
    else if (questions[last] !== undefined && text !== "") questions[last] = `${questions[last]} ${text}`;
  }
  return [...new Set(questions)];
}

interface Item {
  readonly text: string;
  readonly listed: boolean;
}

const BULLET =
  /^\s*(?:[-*•·]|[(（]?\d{1,3}[.)、）]|[(（]?[一二三四五六七八九十]{1,3}[、）)]|[①-⑳]|q\d+[.:)])\s*/iu;

function itemsOf(line: string): Item[] {
  const text = line.replace(BULLET, "").trim();
  if (text === "") return [];
  const parts = splitOutsideQuotes(text, ";；").map((part) => part.trim());
  return parts.filter((part) => part !== "").map((part) => ({ text: part, listed: BULLET.test(line) }));
}

/** "A? B?" is two. */
function sentences(text: string): string[] {
  const marked = text.split(/(?<=？)|(?<=\?)(?=\s|$|[\p{Script=Han}"“「`])/u).map((part) => part.trim());
  return marked.filter((part) => part !== "");
}

/** Where there are questions, sentences without a question mark are remarks on the one before (or the first). */
function joinedRemarks(parts: readonly string[]): string[] {
  if (!parts.some(isQuestion)) return [...parts];
  const joined: string[] = [];
  let before = "";
  for (const part of parts) {
    const last = joined.length - 1;
    if (isQuestion(part)) {
      joined.push(`${before}${part}`);
      before = "";
    } else if (looksAsked(part)) joined.push(part);
    else if (joined[last] === undefined) before = `${before}${part} `;
    else joined[last] = `${joined[last]} ${part}`;
  }
  return joined;
}

function isQuestion(text: string): boolean {
  return /[?？]$/u.test(text);
}

function looksAsked(text: string): boolean {
  return /^(?:where|how|why|what|when|which|who|find|list|show|explain|describe|locate)\b/i.test(text);
}

/** Whether words that were written behind something else are a question of their own. */
export function isAsked(text: string): boolean {
  return (isQuestion(text.trim()) || looksAsked(text.trim())) && isSearchable(text);
}

/** Whether there is anything in it to search for. */
export function isSearchable(text: string): boolean {
  return termsOf(text).length > 0;
}

/** A question is a sentence or a few; what follows is pasted text, and the beginning must do. */
const LONGEST_QUESTION = 2_000;

/** The part of a text that asks: remarks around a question would only add words to search for. */
export function askingPart(question: string): string {
  const text = question.slice(0, LONGEST_QUESTION).replace(/\s+/g, " ");
  const asking = text
    .split(/(?<=[.?!。？！])\s+|(?<=[。？！])/u)
    .filter((sentence) => /[?？]\s*$/u.test(sentence));
  const part = asking.join(" ");
  return part !== "" && isSearchable(part) ? part : text;
}

/** Three to five words by which a person knows the task in a list. */
export function shortDescription(text: string): string {
  const words = text
    .slice(0, LONGEST_QUESTION)

    .replace(/["“”`'?？!.。,，]/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "");
  const told = words.filter(
    (word) => !/^(?:the|a|an|of|is|are|does|do|did|was|were|please|in|to|and)$/i.test(word),
  );
  const chosen = (told.length >= 3 ? told : words).slice(0, 5).map((word) => word.slice(0, 24));
  const fill = ["Search", "the", "code"].slice(0, Math.max(0, 3 - chosen.length));
  return [...(chosen.length < 3 ? [`${fill.join(" ")}:`] : []), ...chosen].join(" ");
}
