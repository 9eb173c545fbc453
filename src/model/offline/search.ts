import { type OfflinePlan, unsure } from "./plan.ts";
import { fileWeight, isComment, isDeclaration, isDocument, KEYWORDS, passages } from "./source.ts";
import { stemOf, type Term, termsOf } from "./terms.ts";
import {
  type FileSize,
  type FoundLine,
  type FoundLines,
  findLines,
  listSizes,
  type OfflineTools,
  pathsOf,
  quote,
} from "./tools.ts";

const IS_WHERE =
  /^(?:where(?! (?:do|can|should|would) (?:i|we|you|one)\b)|find|locate|search|grep|which|in which|show me where|who|when)\b|在哪|哪里/i;
const ASKS_PATH =
  /^(?:where|(?:is|are) there|find|locate|in which|show me where|which (?:file|dir|folder|module))|在哪|哪里/i;

/** Searches for all terms of a question together: paths of that name come first, then the lines where most of them meet. */
export function* search(question: string, tools: OfflineTools): OfflinePlan {
  const terms = termsOf(question);
  const patterns = terms.map(({ pattern }) => pattern);
  if (terms.length === 0) return unsure("");
  const labels = terms.map(({ label }) => label).join(", ");
  const pairs = patterns.flatMap((a) => patterns.flatMap((b) => (a === b ? [] : [`(?:${a}).*(?:${b})`])));
  const declared = String.raw`\b(?:${KEYWORDS})\s+(?:\([^)]*\)\s*)?[\w$]*(?:${patterns.join("|")})`;
  const together = [pairs.join("|") || declared, declared].map((pattern) => ({ pattern, head_limit: 800 }));
  const alone = patterns.map((pattern) => ({ pattern, head_limit: 150 }));
  const found = yield* findLines(tools, ...[...together, ...alone].map((one) => ({ ...one, "-i": true })));
  const [path, ...others] = ASKS_PATH.test(question) ? findNamedPaths(terms, yield* listSizes(tools)) : [];
  // A line that only repeats the question is not an answer.
  const all = found.flat().filter(({ text }) => !text.includes(question.slice(0, 30)));
  const lines = all.filter((line) => path === undefined || line.path.startsWith(path));
  const hits = found.slice(2).map(({ length }) => length);
  const distinct = new Map(lines.map((line) => [`${line.path}:${line.line}`, line]));
  const places = rank([...distinct.values()], terms, hits);
  const [best] = places;
  const isApart = (place: FoundLine, at: number) =>
    !places.slice(0, at).some((one) => isNear(place, one, 30));
  const chosen = places.filter((place, at) => place.score >= (best?.score ?? 0) * 0.55 && isApart(place, at));
  const shown = yield* passages(chosen.slice(0, 3), 14, tools);
  const line = shown[0]?.find(({ text }) => isDeclaration(text)) ?? best;
  const at = line ? `${line.path}:${line.line}.\n\n${quote(shown.flat())}` : "";
  if (path !== undefined) {
    const also = others.length > 0 ? ` Also: ${others.slice(0, 3).join(", ")}.` : "";
    const inside = line ? ` In it, the best match is ${at}` : "";
    return { ok: true, text: `${path} has that name.${also}${inside}` };
  }
  if (best === undefined) return unsure(`Nothing was found for ${labels}.`);
  const isExplained = best.isNamed && !/^(?:what happens|what are|is there|are there)\b/i.test(question);
  const isSure = IS_WHERE.test(question) ? best.coverage >= 0.8 : isExplained;
  if (isSure) return { ok: true, text: `The best match is ${at}` };
  return unsure(`I cannot tell. Of ${labels}, most is found at ${at}`);
}

function isNear(a: FoundLine, b: FoundLine, most: number): boolean {
  return a.path === b.path && Math.abs(a.line - b.line) <= most;
}

/** Ranks lines by how many of the terms are around them; rare terms weigh more than common ones. */
function rank(lines: FoundLines, terms: readonly Term[], hits: readonly number[]) {
  const tests = terms.map(({ pattern, weight }, at) => {
    return { test: new RegExp(pattern, "i"), weight, worth: weight / (1 + Math.log10(1 + (hits[at] ?? 0))) };
  });
  const phrase = terms.map(({ pattern }) => `(?:${pattern})`).join(String.raw`\w*\W*(?:\w+\W+){0,2}`);
  const inOrder = new RegExp(phrase, "i");
  const weights = terms.reduce((sum, { weight }) => sum + weight, 0);
  const byFile = Map.groupBy(lines, ({ path }) => path);
  const places = lines.map((line) => {
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
    const isTitle = isDocument(path) ? /^#+ /.test(text) : isComment(text) && isPhrase;
    // Coverage: the part of the question found around it. Named: a declaration, a title or a comment has all of it.
    const isNamed = isOwn && (isDeclaration(text) || isTitle);
    return { ...line, score: score * kind * fileWeight(path), coverage, isNamed };
  });
  return places.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line);
}

/** Directories have shorter names than their subjects. A map: a path may have the word "constructor". */
const SHORT = new Map(Object.entries({ documentation: "docs", cmd: "command", configuration: "config" }));

/**
 * Returns the directories (with a slash at the end) and files whose names consist of words that a question has, and whose paths
 * have each of its nouns: those with most of them first, then sources, then directories, the highest first.
 */
export function findNamedPaths(terms: readonly Term[], files: readonly FileSize[]): string[] {
  const wordsOf = (name: string) => {
    const words = name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [];
    return words.map((word) => stemOf(SHORT.get(word.toLowerCase()) ?? word));
  };
  const asked = new Set(terms.flatMap(({ label }) => wordsOf(label)));
  const nouns = terms.flatMap(({ label, weight }) => (weight < 1 ? [] : wordsOf(label)));
  // A setting or a file is said by its whole name.
  if (nouns.length === 0 || terms.some(({ label }) => /[^\p{L}\d-]/u.test(label))) return [];
  const named = pathsOf(files).flatMap((path) => {
    const names = path.replace(/\.[\w.]+$|\/$/, "").split("/");
    const [own, all] = [new Set(wordsOf(names.at(-1) ?? "")), new Set(wordsOf(path))];
    const isNamed = own.size > 0 && own.isSubsetOf(asked) && nouns.every((word) => all.has(word));
    // A test of it does not count, but the directory of all tests does.
    if (!isNamed || fileWeight(path.replace(/[^/]+\/?$/, "x")) < 0.5) return [];
    const worth = own.size * 100 + fileWeight(path) * 50 + (path.endsWith("/") ? 20 : 0) - names.length;
    return [{ path, worth }];
  });
  return named.sort((a, b) => b.worth - a.worth).map(({ path }) => path);
}
