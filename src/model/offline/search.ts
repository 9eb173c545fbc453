import { findNamedPaths } from "./named-paths.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { fileWeight, isComment, isDeclaration, isDocument, KEYWORDS, passages } from "./source.ts";
import { type Term, termsOf } from "./terms.ts";
import { type FoundLine, grep, grepLines, listSizes, look, type OfflineTools, quote } from "./tools.ts";

interface Place extends FoundLine {
  readonly score: number;
  /** The part of the question found around it, from 0 to 1. */
  readonly coverage: number;
  /** True if a declaration, a title or a comment has all of it. */
  readonly isNamed: boolean;
}

const IS_WHERE =
  /^(?:where(?! (?:do|can|should|would) (?:i|we|you|one)\b)|find|locate|search|grep|which|in which|show me where|who|when)\b|在哪|哪里/i;
const ASKS_PATH = /^(?:where|find|locate|in which|show me where|which (?:file|dir|folder|module))|在哪|哪里/i;

/** Searches for all terms of a question together: paths of that name come first, then the lines where most of them meet. */
export function* search(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const terms = termsOf(question);
  const patterns = terms.map(({ pattern }) => pattern);
  if (terms.length === 0) return unsure("");
  const labels = terms.map(({ label }) => label).join(", ");
  const pairs = patterns.flatMap((a) => patterns.flatMap((b) => (a === b ? [] : [`(?:${a}).*(?:${b})`])));
  const declared = String.raw`\b(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?[\w$]*(?:${patterns.join("|")})`;
  const found = yield* look(tools, [
    ...[pairs.join("|") || declared, declared].map((one) => grep(one, 800, { "-i": true })),
    ...patterns.map((pattern) => grep(pattern, 150, { "-i": true })),
  ]);
  const [path, ...others] = ASKS_PATH.test(question) ? findNamedPaths(terms, yield* listSizes(tools)) : [];
  // A line that only repeats the question is not an answer.
  const all = found
    .flatMap((text) => grepLines(text, tools))
    .filter(({ text }) => !text.includes(question.slice(0, 30)));
  const lines = all.filter((line) => path === undefined || line.path.startsWith(path));
  const hits = found.slice(2).map((text) => text.split("\n").length);
  const places = rank(
    [...new Map(lines.map((line) => [`${line.path}:${line.line}`, line])).values()],
    terms,
    hits,
  );
  const [best] = places;
  const isApart = (place: Place, at: number) =>
    !places.slice(0, at).some((other) => isNear(place, other, 30));
  const chosen = places.filter((place, at) => place.score >= (best?.score ?? 0) * 0.55 && isApart(place, at));
  const shown = yield* passages(chosen.slice(0, 3), 14, tools);
  const line = shown[0]?.find(({ text }) => isDeclaration(text)) ?? best;
  const at = line ? `${line.path}:${line.line}.\n\n${quote(shown.flat())}` : "";
  if (path !== undefined) {
    const also = others.length > 0 ? ` Also: ${others.slice(0, 3).join(", ")}.` : "";
    return {
      ok: true,
      text: `${path} has that name.${also}${line ? ` In it, the best match is ${at}` : ""}`,
    };
  }
  if (best === undefined) return unsure(`Nothing was found for ${labels}.`);
  const isExplained = best.isNamed && !/^what happens/i.test(question);
  const isSure = IS_WHERE.test(question) ? best.coverage >= 0.8 : isExplained;
  if (isSure) return { ok: true, text: `The best match is ${at}` };
  return unsure(`I cannot tell. Of ${labels}, most is found at ${at}`);
}

function isNear(a: FoundLine, b: FoundLine, most: number): boolean {
  return a.path === b.path && Math.abs(a.line - b.line) <= most;
}

/** Ranks lines by how many of the terms are around them; rare terms weigh more than common ones. */
function rank(lines: readonly FoundLine[], terms: readonly Term[], hits: readonly number[]): Place[] {
  const tests = terms.map(({ pattern, weight }, at) => {
    return { test: new RegExp(pattern, "i"), weight, worth: weight / (1 + Math.log10(1 + (hits[at] ?? 0))) };
  });
  const inOrder = new RegExp(
    terms.map(({ pattern }) => `(?:${pattern})`).join(String.raw`\w*\W*(?:\w+\W+){0,2}`),
    "i",
  );
  const weights = terms.reduce((sum, { weight }) => sum + weight, 0);
  const byFile = Map.groupBy(lines, ({ path }) => path);
  const places = lines.map((line): Place => {
    const { path, text } = line;
    const near = (byFile.get(path) ?? []).filter((other) => isNear(line, other, 6));
    let [score, coverage, isOwn] = [0, 0, true];
    for (const { test, weight, worth } of tests) {
      const inText = test.test(text) ? 1 : near.some((other) => test.test(other.text)) ? 0.7 : 0;
      const inPath = test.test(path) ? 0.6 : 0;
      score += worth * (Math.max(inText, inPath) + Math.min(inText, inPath) / 2);
      coverage += inText + inPath > 0 ? weight / weights : 0;
      isOwn &&= inText === 1 || inPath > 0;
    }
    const isPhrase = terms.length > 1 && inOrder.test(text);
    const kind = (isDeclaration(text) ? 1.3 : isComment(text) ? 1.2 : 1) * (isPhrase ? 1.25 : 1);
    const isTitle =
      isDeclaration(text) || (isDocument(path) ? /^#+ /.test(text) : isComment(text) && isPhrase);
    return { ...line, score: score * kind * fileWeight(path), coverage, isNamed: isOwn && isTitle };
  });
  return places.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line);
}
