import { shorten } from "../../lib/text.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight, isComment, isDeclaration, isDocument, KEYWORDS, passages } from "./source.ts";
import { type FoundLine, grep, grepLines, look, type OfflineTools, quote } from "./tools.ts";

/** A word of a question, as a search term. */
interface Term {
  readonly label: string;
  /** Source of a pattern; case is ignored. */
  readonly pattern: string;
  /** A name says most; a participle ("chosen", "loaded") says less than a noun. */
  readonly weight: number;
}

const STOP = new Set(
  "a about after all an and any are as at be been before being between both but by called can code could decided declared defined did do does done during each else ever every file files find first for from get gets give given go goes handled happen happens has have how i if implemented in into is it its just like list locate located long made make makes many may me mean means more most much must my no not of off often on once one only or other our out over own part parts please program project run same say says see set should show so some such tell than that the their them then there these they thing things this those through to under until up us use used very was we were what when where which while who whose why will with work works would you your".split(
    " ",
  ),
);
/** Returns the subjects of a question: its names, and other words without their endings. */
function termsOf(question: string): Term[] {
  const terms = new Map<string, Term>();
  for (const [, quoted, word = ""] of question.matchAll(
    /[`"“]([^`"”]+)[`"”]|([\p{L}\d_$][\p{L}\d_$./-]*)/gu,
  )) {
    const label = quoted ?? word.replace(/[./-]+$/, "");
    const isFirst = quoted === undefined && question.trimStart().startsWith(label);
    const looksSo = /[a-z][A-Z]|[_$/.\d]|^[A-Z]{2}/.test(label) || (/^[A-Z]/.test(label) && !isFirst);
    if (label.length < 2 || STOP.has(label.toLowerCase())) continue;
    const isName = quoted !== undefined || looksSo;
    const pattern = isName ? RegExp.escape(label) : wordPattern(label.toLowerCase());
    terms.set(label.toLowerCase(), {
      label,
      pattern,
      weight: isName ? 2 : /(?:ed|en)$/.test(label) ? 0.5 : 1,
    });
  }
  return [...terms.values()].slice(0, 6);
}

/** A word begins where a word does, or in the middle of a name; a short one must end there, too. */
function wordPattern(word: string): string {
  const stem = word.replace(/(?:ations?|ings?|ions?|ers?|ors?|ten|ies|ied|ed|es|s|y|e)$/, "");
  const [begin, ends] =
    stem.length >= 4
      ? [stem, ""]
      : [word.replace(/s$/, ""), String.raw`(?:s|es|d|ed|ing|ings|er|ers)?(?:\b|_|(?-i:[A-Z]))`];
  const inName = begin.charAt(0).toUpperCase() + begin.slice(1);
  return String.raw`(?:\b|_)${RegExp.escape(begin)}${ends}|(?-i:[a-z\d]${RegExp.escape(inName)})${ends}`;
}

interface Place extends FoundLine {
  readonly score: number;
  /** The part of the question found around it, from 0 to 1. */
  readonly coverage: number;
  /** True if a declaration, a title or a comment has all of it, in the order of the question. */
  readonly isNamed: boolean;
}

const IS_WHERE =
  /^(?:where(?! (?:do|can|should|would) (?:i|we|you|one)\b)|find|locate|search|grep|which|in which|show me where|who|when)\b|在哪|哪里/i;

/** Searches for all terms of a question together and quotes the lines where most of them meet. */
export function* search(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const terms = termsOf(question);
  const [only] = terms;
  if (only === undefined) return unsure("");
  const patterns = terms.map(({ pattern }) => pattern);
  const labels = terms.map(({ label }) => label);
  const pairs = patterns.flatMap((a) => patterns.flatMap((b) => (a === b ? [] : [`(?:${a}).*(?:${b})`])));
  const declared = String.raw`\b(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?[\w$]*(?:${patterns.join("|")})`;
  const found = yield* look(tools, [
    ...[pairs.join("|") || only.pattern, declared].map((one) => grep(one, 800, { "-i": true })),
    ...patterns.map((pattern) => grep(pattern, 150, { "-i": true })),
  ]);
  // A line that only repeats the question is not an answer.
  const isAsking = (text: string) => text.includes(question.slice(0, 30));
  const all = found.flatMap((text) => grepLines(text, tools)).filter(({ text }) => !isAsking(text));
  const lines = new Map(all.map((line) => [`${line.path}:${line.line}`, line]));
  const hits = found.slice(2).map((text) => text.split("\n").length);
  const places = rank([...lines.values()], terms, hits);
  const [best] = places;
  if (best === undefined) return unsure(`Nothing was found for ${labels.join(", ")}.`);
  const isApart = (place: Place, at: number) =>
    !places.slice(0, at).some((other) => isNear(place, other, 30));
  const chosen = places
    .filter((place, at) => place.score >= best.score * 0.55 && isApart(place, at))
    .slice(0, 3);
  const shown = yield* passages(chosen, 14, tools);
  const line = shown[0]?.find(({ text }) => isDeclaration(text)) ?? best;
  const isSure = IS_WHERE.test(question)
    ? best.coverage >= 0.8
    : best.isNamed && !/^what happens/i.test(question);
  const at = `${line.path}:${line.line}`;
  if (isSure) return { ok: true, text: `The best match is ${at}.\n\n${quote(shown.flat())}` };
  return unsure(`I cannot tell. Of ${labels.join(", ")}, most is found at ${at}.\n\n${quote(shown.flat())}`);
}

function isNear(a: FoundLine, b: FoundLine, most: number): boolean {
  return a.path === b.path && Math.abs(a.line - b.line) <= most;
}

/** Ranks lines by how many of the terms are around them; rare terms weigh more than common ones. */
function rank(lines: readonly FoundLine[], terms: readonly Term[], hits: readonly number[]): Place[] {
  const tests = terms.map(({ pattern, weight }, at) => {
    return { test: new RegExp(pattern, "i"), weight, worth: weight / (1 + Math.log10(1 + (hits[at] ?? 0))) };
  });
  const phrases = terms.slice(1).map(({ pattern }, at) => {
    return new RegExp(String.raw`(?:${terms[at]?.pattern})\w*\W*(?:\w+\W+){0,2}(?:${pattern})`, "i");
  });
  const all = tests.reduce((sum, { worth }) => sum + worth, 0);
  const weights = tests.reduce((sum, { weight }) => sum + weight, 0);
  const byFile = Map.groupBy(lines, ({ path }) => path);
  const places = lines.map((line): Place => {
    const { path, text } = line;
    const near = (byFile.get(path) ?? []).filter((other) => isNear(line, other, 6));
    const inOrder = phrases.filter((phrase) => phrase.test(text)).length;
    let [score, coverage, isOwn] = [(all * inOrder) / 4, 0, true];
    for (const { test, weight, worth } of tests) {
      const inText = test.test(text) ? 1 : near.some((other) => test.test(other.text)) ? 0.7 : 0;
      const inPath = test.test(path) ? 0.6 : 0;
      score += worth * (Math.max(inText, inPath) + Math.min(inText, inPath) / 2);
      coverage += inText + inPath > 0 ? weight / weights : 0;
      isOwn &&= inText === 1 || inPath > 0;
    }
    const kind = isDeclaration(text) ? 1.3 : isComment(text) ? 1.2 : 1;
    const isTitle = isDeclaration(text) || (isDocument(path) && /^#+ /.test(text));
    const isNamed =
      isOwn &&
      (isTitle || (isComment(text) && !isDocument(path) && inOrder > 0 && inOrder === phrases.length));
    return { ...line, score: (score / all) * kind * fileWeight(path), coverage, isNamed };
  });
  return places.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line);
}

/** The paragraphs of a text that fit a question best, in their order. */
export function paragraphsAbout(question: string, text: string): string {
  const terms = termsOf(question).map(({ pattern }) => new RegExp(pattern, "i"));
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== "");
  const worth = (part: string) => terms.filter((term) => term.test(part)).length;
  const best = Math.max(...parts.map(worth), 0);
  const fit = parts.filter((part) => best === 0 || worth(part) * 2 >= Math.max(best, 2));
  const lead =
    best > 0
      ? "The offline model quotes the paragraphs that fit the question:"
      : "No paragraph fits the question. The page begins:";
  return [lead, ...fit.slice(0, 4).map((part) => shorten(part, 700))].join("\n\n");
}
