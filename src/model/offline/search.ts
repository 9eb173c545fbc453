import { formatCount, shorten } from "../../lib/text.ts";
import { type OfflinePlan, unsure } from "./plan.ts";
import { describeProject } from "./project.ts";
import {
  declarationOf,
  fileWeight,
  isComment,
  isDeclaration,
  isDocument,
  KEYWORDS,
  passages,
} from "./source.ts";
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

/** A word of a question, as a search term; its pattern ignores case. */
export type Term = { readonly label: string; readonly pattern: string; readonly weight: number };

/** Words that a question has whatever it is about. */
const STOP =
  /^(?:a|about|after|all|an|and|any|are|as|at|be|been|before|being|between|both|but|by|called|can|code|could|decided|declared|defined|did|do|does|done|during|each|else|ever|every|file|files|find|first|for|from|get|gets|give|given|go|goes|handled|happen|happens|has|have|how|i|if|implemented|in|into|is|it|its|just|kept|held|live|lives|like|list|locate|located|long|made|make|makes|many|may|me|mean|means|more|most|much|must|my|no|not|of|off|often|on|once|one|only|or|other|our|out|over|own|part|parts|please|program|project|run|same|say|says|see|set|should|show|so|some|such|tell|than|that|the|their|them|then|there|these|they|thing|things|this|those|through|to|under|until|up|us|use|used|very|was|we|were|what|when|where|which|while|who|whose|why|will|with|work|works|would|you|your)$/i;

/** Returns the subjects of a question: its names, and other words without their endings. */
export function termsOf(question: string): Term[] {
  const terms = new Map<string, Term>();
  const words = question.matchAll(/[`"“]([^`"”]+)[`"”]|([\p{L}\d_$][\p{L}\d_$./-]*)/gu);
  for (const [, quoted, word = ""] of words) {
    const label = quoted ?? word.replace(/[./-]+$/, "");
    const isFirst = quoted === undefined && question.trimStart().startsWith(label);
    const looksSo = /[a-z][A-Z]|[_$/.\d]|^[A-Z]{2}/.test(label) || (/^[A-Z]/.test(label) && !isFirst);
    if (label.length < 2 || STOP.test(label)) continue;
    const isName = quoted !== undefined || looksSo;
    const pattern = isName ? RegExp.escape(label) : wordPattern(label.toLowerCase());
    // A name says most; a participle ("chosen", "loaded") says less than a noun.
    const weight = isName ? 2 : /(?:ed|en)$/.test(label) ? 0.5 : 1;
    terms.set(label.toLowerCase(), { label, pattern, weight });
  }
  return [...terms.values()].slice(0, 6);
}

/** A word begins where a word does, or in the middle of a name; a short one must end there, too. */
function wordPattern(word: string): string {
  const stem = stemOf(word);
  const ends = stem.length >= 4 ? "" : String.raw`(?:s|es|d|ed|ing|ings|er|ers)?(?:\b|_|(?-i:[A-Z]))`;
  const inName = stem.charAt(0).toUpperCase() + stem.slice(1);
  return String.raw`(?:\b|_)${RegExp.escape(stem)}${ends}|(?-i:[a-z\d]${RegExp.escape(inName)})${ends}`;
}

/** A word without its ending, in lower case, if enough is left of it. */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(/(?:ations?|ings?|ions?|ers?|ors?|ten|ies|ied|ed|es|s|y|e)$/, "");
  return stem.length >= 4 ? stem : lower.replace(/s$/, "");
}

/** The paragraphs of a text that fit a question best, in their order. */
export function paragraphsAbout(question: string, text: string): string {
  const terms = termsOf(question).map(({ pattern }) => new RegExp(pattern, "i"));
  const parts = text.split(/\n\s*\n/).filter((part) => part.trim() !== "");
  const worth = (part: string) => terms.filter((term) => term.test(part)).length;
  const best = Math.max(...parts.map(worth), 0);
  const fit = parts.filter((part) => best === 0 || worth(part) * 2 >= Math.max(best, 2)).slice(0, 4);
  const found = "The offline model quotes the paragraphs that fit the question:";
  const lead = best > 0 ? found : "No paragraph fits the question. The page begins:";
  return [lead, ...fit.map((part) => shorten(part, 700))].join("\n\n");
}

/** Where a name is declared, with its comment and body; or the lines that use it. */
export function* about(name: string, tools: OfflineTools, isUses = false): OfflinePlan {
  const whole = String.raw`(?:^|[^\w$])${RegExp.escape(name)}(?:[^\w$]|$)`;
  const declared = { pattern: declarationOf(RegExp.escape(name)), head_limit: 50 };
  const found = yield* findLines(tools, declared, { pattern: whole, head_limit: 500 });
  const isCode = ({ path, text }: FoundLine) => !isComment(text) && fileWeight(path) > 0.1;
  const [definitions = [], all = []] = found.map((lines) => lines.filter(isCode).sort(byWorth));
  const at = ({ path, line }: FoundLine) => `${path}:${line}`;
  const defined = new Set(definitions.map(at));
  const uses = all.filter((line) => !defined.has(at(line)));
  const files = new Set(uses.map(({ path }) => path)).size;
  const used = `named in ${formatCount(uses.length, "other line")} of ${formatCount(files, "file")}.`;
  const [first] = definitions;
  if (first === undefined && (!isUses || uses.length === 0)) return yield* search(name, tools);
  if (isUses || first === undefined) {
    const where = first ? `It is defined in ${at(first)}.` : "No line here defines it.";
    return { ok: true, text: `\`${name}\` is ${used} ${where}\n\n${quote(uses, 30)}`.trim() };
  }
  const alike = definitions.filter((one) => byWorth(one, first) === 0).slice(0, 3);
  const shown = quote((yield* passages(alike, 30, tools)).flat());
  return { ok: true, text: `\`${name}\` is defined in ${at(first)}.\n\n${shown}\n\nIt is ${used}` };
}

/** Sources first; in them what a keyword declares, before members of objects. */
function byWorth(a: FoundLine, b: FoundLine): number {
  const worth = ({ path, text }: FoundLine) => fileWeight(path) * 2 + Number(isDeclaration(text));
  return worth(b) - worth(a);
}

const USED =
  /[`"“]([^`"”]+)[`"”]|\b(?:calls?|uses?|imports?|references?|depends? on|of|is|are)\s+(?:the\s+)?(?:function\s+|class\s+|method\s+)?([\w$.@/-]*[\w$])\W*(?:$|used\b|called\b|imported\b|referenced\b)/i;

/** "Who calls NAME": a single name is looked up, anything else is searched for. */
export function usesOf(question: string, tools: OfflineTools): OfflinePlan {
  const [, quoted, plain] = USED.exec(question) ?? [];
  // A file is imported by its last name, from wherever the import is.
  const name = (quoted ?? plain)?.replace(/^.*\/([^/]+)\.\w+$/, "$1");
  return name === undefined ? search(question, tools) : about(name, tools, true);
}

/** "What is NAME": the project itself, a sentence that says it, or a declaration. */
export function* whatIs(question: string, tools: OfflineTools): OfflinePlan {
  const name = /([\w-]+)\W*$/.exec(question)?.[1] ?? "";
  const project = yield* describeProject(question, tools);
  const isProject = new RegExp(`"?name"?\\s*[:=]\\s*"${name}"|^#* *\\d* *#? *${name}\\b`, "im");
  if (isProject.test(project.text)) return project;
  const one = `${name.replace(/s$/, "")}s?`;
  const says = `\\b(?:an?|the|every|each) ${one} (?:is|are)\\b|^\\W*${one}\\b\\W*\\s(?:is|are)\\b|^[\\s/*#|-]*[*\`]+${one}[*\`]+ *[:(|–—-]`;
  const [said = []] = yield* findLines(tools, { pattern: says, "-i": true, head_limit: 100 });
  const isProse = ({ path, text }: FoundLine) =>
    fileWeight(path) > 0.45 && (isComment(text) || isDocument(path));
  const found = said.filter(isProse);
  if (found.length === 0) return yield* search(question, tools);
  const shown = yield* passages(found.slice(0, 3), 10, tools);
  return { ok: true, text: `This is what is said of it:\n\n${quote(shown.flat())}` };
}
