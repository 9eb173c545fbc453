import { chineseWords } from "./chinese.ts";
import { stem, subwords } from "./stems.ts";
import { OPENING_WORDS, relatedWords, STOP_WORDS, WEAK_WORDS } from "./vocabulary.ts";

/** One thing a question asks about, in the forms in which it may stand in a file. */
export interface Term {
  readonly label: string;
  /** `exact`: an identifier or a quotation. `file`: a name of a file. */
  readonly kind: "word" | "exact" | "file";
  readonly weight: number;
  /** The stems of its parts; a word has one. */
  readonly stems: readonly string[];
  /** Stems of words that mean nearly the same; a match of one counts half. */
  readonly related: readonly string[];
}

const MOST_TERMS = 8;
/** A question is a sentence; what is longer is pasted text, and its beginning must do. */
const MOST_CHARACTERS = 2_000;

/** What to search for, most telling first. Empty: nothing in the question can be searched for. */
export function termsOf(question: string): Term[] {
  const found = everyTerm(question);
  const telling = found.some(isTelling);
  return found.map((term) => (telling ? term : { ...term, weight: 1 })).slice(0, MOST_TERMS);
}

/** Whether a text names anything of its own, besides words that any question about code may have. */
export function hasTellingTerms(text: string): boolean {
  return everyTerm(text).some(isTelling);
}

function isTelling({ weight }: Term): boolean {
  return weight >= 1;
}

function everyTerm(question: string): Term[] {
  const text = question.slice(0, MOST_CHARACTERS);
  const quoted = quotations(text);
  const plain = quoted.reduce((rest, { whole }) => rest.replace(whole, " , "), text);
  const found = [
    ...quoted.map(({ inner }) => exactTerm(inner, 3)),
    ...spacedTerms(plain),
    ...hanTerms(plain),
  ];
  return distinctTerms(found).sort((a, b) => b.weight - a.weight);
}

/** The first of each. */
export function distinctTerms(terms: readonly Term[]): Term[] {
  const known = new Map<string, Term>();
  for (const term of terms) {
    const key = `${term.kind} ${term.stems.join(" ")}`;
    if (!known.has(key)) known.set(key, term);
  }
  return [...known.values()];
}

function quotations(text: string): { whole: string; inner: string }[] {
  return [...text.matchAll(/`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」/g)].map(
    ([whole, ...inner]) => ({ whole, inner: inner.find((some) => some !== undefined)?.trim() ?? "" }),
  );
}

const FILE_NAME =
  /^(?:[\w@.-]+\/)+[\w.-]*$|^[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|[ch](?:pp|c|xx|s)?|rb|php|swift|scala|sh|bash|zsh|ps1|mdx?|rst|txt|jsonl?|ya?ml|toml|ini|cfg|conf|xml|html?|s?css|less|sql|proto|graphql|lua|pl|exs?|erl|hs|mli?|clj|vue|svelte|lock|env|gradle|mk|cmake|csv)$/i;

/** A word or an identifier of a script that sets blanks between words. */
const TOKEN = /(?!\p{Script=Han})[\p{L}_$@](?:(?!\p{Script=Han})[\p{L}\p{N}_$@/.-])*(?:\(\))?|\d[\w.]+/gu;

function spacedTerms(text: string): Term[] {
  const tokens = text.match(TOKEN) ?? [];
  return tokens.flatMap((raw, at) => {
    const token = raw.replace(/\(\)$/, "").replace(/[.\-/]+$/, "");
    if (isFileName(token)) return [fileTerm(token)];
    if (raw.endsWith("()") && !token.includes(".")) return [exactTerm(token, 3)];
    return token.split(/[./]/).flatMap((part) => {
      if (isIdentifier(part)) return [exactTerm(part, 3)];
      // A compound such as retry-after is a name as often as not.
      if (/^[a-z]{3,}-[a-z]{3,}$/i.test(part)) return [exactTerm(part, 2)];
      return subwords(part).flatMap((word) => wordTerm(word, at === 0));
    });
  });
}

/** `Node.js` looks like the name of a file but is none. */
function isFileName(token: string): boolean {
  return FILE_NAME.test(token) && !/^(?:node|next|vue|three|d3)\.js$/i.test(token);
}

function isIdentifier(token: string): boolean {
  return (
    /[a-z\d][A-Z]|\w_\w|^[A-Z]{2,}\d+$|[a-z]-[a-z]+-|\$|^[a-z]+\d+[a-z]*$/.test(token) && token.length > 2
  );
}

function exactTerm(text: string, weight: number): Term {
  if (FILE_NAME.test(text)) return fileTerm(text);
  const parts = subwords(text);
  const only = parts[0];
  if (parts.length === 1 && only !== undefined && /^[a-z]+$/.test(only) && text === only)
    return { label: text, kind: "word", weight: 2, stems: [stem(only)], related: [] };
  return { label: text, kind: "exact", weight, stems: parts.map(stem), related: [] };
}

function fileTerm(text: string): Term {
  return {
    label: text.replace(/^\.\//, ""),
    kind: "file",
    weight: 3,
    stems: subwords(text).map(stem),
    related: [],
  };
}

function wordTerm(word: string, first: boolean): Term[] {
  if (word.length < 2 || STOP_WORDS.has(word) || (first && OPENING_WORDS.has(word))) return [];
  const related = relatedWords(word).map(stem);
  return [
    { label: word, kind: "word", weight: WEAK_WORDS.has(word) ? 0.3 : 1, stems: [stem(word)], related },
  ];
}

function hanTerms(text: string): Term[] {
  return [...text.matchAll(/\p{Script=Han}+/gu)]
    .flatMap(([run]) => chineseWords(run))
    .flatMap(({ text: han, english }) =>
      english === undefined ? [exactTerm(han, 1)] : wordTerm(english, false),
    );
}
