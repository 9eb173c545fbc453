import { shorten } from "../../lib/text.ts";

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
