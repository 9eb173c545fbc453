import type { OfflinePlan, PlanResult } from "./plan.ts";
import { escapePattern, fileWeight, isComment, isDeclaration, passages } from "./source.ts";
import {
  cut,
  type FoundLine,
  glob,
  globPaths,
  grep,
  grepLines,
  look,
  type OfflineTools,
  quote,
} from "./tools.ts";

/** A word of a question, as a search term. */
interface Term {
  readonly label: string;
  /** Source of a pattern; case is ignored. */
  readonly pattern: string;
  readonly isName: boolean;
}

const STOP = new Set(
  "a about after all an and any are as at be been before being between both but by called can code could decided declared defined did do does done during each else ever every file files find first for from get gets give given go goes handled happen happens has have how i if implemented in into is it its just like list locate located long made make makes many may me mean means more most much must my no not of off often on once one only or other our out over own part parts please program project run same say says see set should show so some such tell than that the their them then there these they thing things this those through to under until up us use used very was we were what when where which while who whose why will with work works would you your".split(
    " ",
  ),
);
/** Stems of irregular words. */
const STEMS: Readonly<Record<string, string>> = {
  ...{
    decision: "deci",
    decide: "deci",
    decides: "deci",
    written: "writ",
    wrote: "writ",
    kept: "keep",
    sent: "send",
  },
  ...{ children: "child", chosen: "choos", built: "build", configuration: "config", configured: "config" },
};

/** Returns the subjects of a question: its names, and other words without their endings. */
function termsOf(question: string): Term[] {
  const terms = new Map<string, Term>();
  for (const [, quoted, word = "", offset] of question.matchAll(
    /[`"“]([^`"”]+)[`"”]|([\p{L}\d_$][\p{L}\d_$./-]*)()/gu,
  )) {
    const label = quoted ?? word.replace(/[./-]+$/, "");
    const isFirst = question.trimStart().startsWith(label) && offset !== undefined;
    const isName =
      quoted !== undefined ||
      /[a-z][A-Z]|[_$/.\d]|^[A-Z]{2}/.test(label) ||
      (/^[A-Z]/.test(label) && !isFirst);
    if (label.length < 2 || STOP.has(label.toLowerCase())) continue;
    terms.set(label.toLowerCase(), {
      label,
      pattern: isName ? escapePattern(label) : wordPattern(label.toLowerCase()),
      isName,
    });
  }
  return [...terms.values()].slice(0, 6);
}

function wordPattern(word: string): string {
  const stem = STEMS[word] ?? word.replace(/(?:ations?|ings?|ions?|ers?|ors?|ies|ied|ed|es|s|y|e)$/, "");
  if (stem.length >= 4) return escapePattern(stem);
  // A short one would be part of every other word, but it may begin in the middle of a name.
  const short = escapePattern(word.replace(/s$/, ""));
  const ends = String.raw`(?:s|es|d|ed|ing|ings|er|ers)?(?:\b|_|(?-i:[A-Z]))`;
  return String.raw`(?:\b|_)${short}${ends}|(?-i:[a-z\d]${short.charAt(0).toUpperCase()}${short.slice(1)})${ends}`;
}

interface Place extends FoundLine {
  readonly score: number;
  /** The part of the question found around it, from 0 to 1. */
  readonly coverage: number;
}

/** Searches for the terms of a question, reads the best matches, and quotes them. */
export function* search(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const terms = termsOf(question);
  const [only] = terms;
  if (only === undefined)
    return {
      ok: false,
      text: "There is nothing to search for in this: name a thing, a file or a word of the code.",
    };
  const patterns = terms.map(({ pattern }) => pattern);
  const labels = terms.map(({ label }) => label);
  const pairs = patterns.flatMap((a) => patterns.flatMap((b) => (a === b ? [] : [`(?:${a}).*(?:${b})`])));
  const globs = labels.map((label) => label.replace(/[^\w.-]/g, "*")).join(",");
  const [named = "", ...found] = yield* look(tools, [
    glob(`**/*{${globs},}*{${globs}}*`),
    ...[pairs.join("|") || only.pattern, `${DECLARES}[\\w$]*(?:${patterns.join("|")})`].map((one) =>
      grep(one, 800, { "-i": true }),
    ),
    ...patterns.map((pattern) => grep(pattern, 150, { "-i": true })),
  ]);
  // A line that only repeats the question is not an answer.
  const isAsking = (text: string) => text.includes(question.slice(0, 30));
  const all = found.flatMap((text) => grepLines(text, tools)).filter(({ text }) => !isAsking(text));
  const lines = new Map(all.map((line) => [`${line.path}:${line.line}`, line]));
  const places = rank(
    [...lines.values()],
    terms,
    found.slice(2).map((text) => text.split("\n").length),
  );
  const [best] = places;
  if (best === undefined) {
    const files = globPaths(named, tools).slice(0, 5).join(", ");
    return {
      ok: false,
      text: `Nothing was found for ${labels.join(", ")}.${files === "" ? "" : ` Files whose names fit: ${files}.`}`,
    };
  }
  const chosen = places
    .filter(
      (place, at) =>
        place.score >= best.score * 0.55 && !places.slice(0, at).some((other) => isNear(place, other, 30)),
    )
    .slice(0, 3);
  const shown = yield* passages(chosen, 14, tools);
  const line = shown[0]?.find(({ text }) => isDeclaration(text)) ?? best;
  const isSure = best.coverage >= 0.65;
  const lead = isSure
    ? `The best match is ${line.path}:${line.line}.`
    : `Nothing found has all of ${labels.join(", ")}; the closest is ${line.path}:${line.line}.`;
  return { ok: isSure, text: `${lead}\n\n${quote(shown.flat())}` };
}

const DECLARES = String.raw`\b(?:function|class|interface|type|enum|struct|trait|def|func|fn|const|let|var|module)\s+(?:\([^)]*\)\s*)?`;

function isNear(a: FoundLine, b: FoundLine, most: number): boolean {
  return a.path === b.path && Math.abs(a.line - b.line) <= most;
}

/** Ranks lines by how many of the terms are around them; rare terms weigh more than common ones. */
function rank(lines: readonly FoundLine[], terms: readonly Term[], hits: readonly number[]): Place[] {
  const tests = terms.map(({ label, pattern, isName }, at) => {
    // A participle ("chosen", "loaded") says less than a noun.
    const weight = isName ? 2 : /(?:ed|en)$/.test(label) ? 0.5 : 1;
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
    const found = tests.map(({ test, weight, worth }) => {
      const inText = test.test(text) ? 1 : near.some((other) => test.test(other.text)) ? 0.7 : 0;
      const inPath = test.test(path) ? 0.6 : 0;
      return {
        has: inText + inPath > 0 ? weight : 0,
        score: worth * (Math.max(inText, inPath) + Math.min(inText, inPath) / 2),
      };
    });
    const sum = found.reduce((total, { score }) => total + score, (all * inOrder) / 4) / all;
    const kind = isDeclaration(text) ? 1.3 : isComment(text) ? 1.2 : 1;
    return {
      ...line,
      coverage: found.reduce((total, { has }) => total + has, 0) / weights,
      score: sum * kind * fileWeight(path),
    };
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
  return [lead, ...fit.slice(0, 4).map((part) => cut(part, 700))].join("\n\n");
}
