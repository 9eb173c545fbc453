import type { ReadWords } from "./read-options.ts";
import { literalWord, type ShellWord } from "./script.ts";

/** A command that changes files of the workspace (§5.8). */
export interface FileWork {
  readonly name: string;
  /** Why it is more than its row allows; null if it is not. */
  readonly why: string | null;
  /** Of cp and mv: what comes where. */
  readonly placed: { readonly sources: readonly ShellWord[]; readonly into: readonly ShellWord[] } | null;
}

/** What a recognised command does, as far as its arguments say. */
export interface Uses {
  /** Why it is not plain reading (§5.6); null if it is. */
  readonly plain: string | null;
  /** Why it does not even read in a confinement (§5.7); null if it does. */
  readonly confined: string | null;
  /** Files that it reads: all of these must be readable. */
  readonly reads: readonly ShellWord[];
  /** Everything that may name a file it reads, for deny and ask rules. */
  readonly candidates: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
  /** Directories in which it reads every file; empty text: the current one, unless it is given something to read. */
  readonly searches: readonly string[];
  /** Directories in which it goes through links, which may lead out. */
  readonly follows: readonly string[];
  /**
   * Files of the repository that git shows: paths that are written out, or null for any file; `below`: of a directory
   * everything in it. Null if it shows no contents.
   */
  readonly contents: { readonly paths: readonly string[] | null; readonly below: boolean } | null;
  /** Commands that it starts itself. */
  readonly starts: readonly (readonly ShellWord[])[];
  readonly files: FileWork | null;
  /** Directories that git's `-C` leads to, one after the other; null if it is not git. */
  readonly into: readonly string[] | null;
}

const LISTS = { reads: [], candidates: [], writes: [], searches: [], follows: [], starts: [] };
const NOTHING: Uses = { plain: null, confined: null, ...LISTS, contents: null, files: null, into: null };

export function uses(some: Partial<Uses>): Uses {
  return { ...NOTHING, ...some };
}

/** Neither tier lets it run. */
export function refuseUse(why: string, some: Partial<Uses> = {}): Uses {
  return { ...NOTHING, ...some, plain: why, confined: why };
}

/** True if a word may lead out of the directory: from the root, from a home, or up (§5.6). */
export function looksLikePath(text: string): boolean {
  return /^[/~]/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** Returns what a word assigns, if that looks like a path. */
export function assignedPaths({ value }: ShellWord): readonly ShellWord[] {
  const equals = value.indexOf("=");
  const assigned = value.slice(equals + 1);
  return equals >= 0 && looksLikePath(assigned) ? [literalWord(assigned)] : [];
}

/** Returns words that lead somewhere though they are no operands: an option's value, and what follows a `=`. */
export function pathsAmong({ values, glued, understood }: ReadWords): readonly ShellWord[] {
  const pathsIn = (word: ShellWord) => [...(looksLikePath(word.value) ? [word] : []), ...assignedPaths(word)];
  const given = values.flatMap(({ option, word, form }) => {
    if (option.kind === "pattern") return [];
    // A separator is no path, and what is glued to its letter does not begin the word: `cut -d / -f1`, `cut -d/`.
    const isText = option.kind === "text" && (form === "letter" || /^\/+$/.test(word.value));
    return isText ? assignedPaths(word) : pathsIn(word);
  });
  // Behind a letter that is not known, anything may be a path.
  return understood ? given : [...given, ...glued.flatMap(pathsIn)];
}

/** `printf -v` sets a variable, and so does `%n`. */
export function printfUses(words: readonly ShellWord[]): Uses {
  const [format] = words[0]?.value === "--" ? words.slice(1) : words;
  if (format === undefined) return uses({});
  if (!format.literal) return refuseUse("the format of printf is not written out");
  if (format === words[0] && format.value.startsWith("-")) return refuseUse("printf has options");
  const sets = /%[^%a-zA-Z]*[hlLjztq]*n/.test(format.value.replaceAll("%%", ""));
  return sets ? refuseUse("%n of printf sets a variable") : uses({});
}

const BINARY = /^(?:=|==|!=|<|>|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** Tests that look a name up as a variable run what its subscript has, so that no word may become such an operator. */
export function testUses(words: readonly ShellWord[]): Uses {
  if (words.some(({ value }) => value === "-v" || value === "-R"))
    return refuseUse("it tests a variable by its name");
  const compared = findCompared(words);
  if (compared.some((word) => word?.literal && /[[$`]/.test(word.value)))
    return refuseUse("it compares what may run a command");
  if (!compared.every(isNumberWord)) return uses({ plain: "it compares what is not a plain number" });
  const odd = words.find((word, at) => mayBeOperator(word, words, at));
  return uses({ plain: odd ? `${odd.raw} may become a test of a variable by its name` : null });
}

/** Returns both sides of arithmetic comparisons. */
export function findCompared(words: readonly ShellWord[]): readonly (ShellWord | undefined)[] {
  return words.flatMap(({ value }, at) =>
    /^-(?:eq|ne|lt|le|gt|ge)$/.test(value) ? [words[at - 1], words[at + 1]] : [],
  );
}

/** What is not known must stay one word, and be alone or next to an operator that is written out. */
function mayBeOperator(word: ShellWord, words: readonly ShellWord[], at: number): boolean {
  if (word.pieces.every(({ type }) => type === "text" || type === "number" || type === "sum")) return false;
  if (!/^"(?:[^"\\$`]|\\[\s\S]|\$(?!\()|\$\([\s\S]*\)|`[\s\S]*`)*"$/.test(word.raw)) return true;
  const [before = "", after = ""] = [words[at - 1], words[at + 1]].map((one) =>
    one?.literal ? one.value : "",
  );
  const alone = words.length === 1 || (words.length === 2 && before === "!");
  return !(alone || /^-[a-zA-Z]$/.test(before) || BINARY.test(before) || BINARY.test(after));
}

export function isNumberWord(word: ShellWord | undefined): boolean {
  if (word === undefined || word.literal) return /^[+-]?\d+$/.test(word?.value ?? "");
  return word.pieces.every(({ type, text }) => type === "number" || (type === "text" && /^\d*$/.test(text)));
}
