import type { ReadWords } from "./read-options.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** Contents of files that git shows, where its paths are known only in part. */
export interface GitContents {
  /** Paths that are written out, if they are all that it shows; null: it may show any file. */
  readonly paths: readonly string[] | null;
  /** Of a path that is a directory it shows everything below. */
  readonly below: boolean;
}

/** A command that changes files of the workspace (§5.8). */
export interface FileWork {
  readonly name: string;
  /** Why it is more than its row allows; null: it is not. */
  readonly why: string | null;
  /** Of cp and mv: what comes where. */
  readonly placed: { readonly sources: readonly ShellWord[]; readonly into: readonly ShellWord[] } | null;
}

/** What a recognised command does, as far as its words tell. */
export interface Uses {
  /** Why it is not plain reading (§5.6); null: it is. */
  readonly plain: string | null;
  /** Why it does not even read in a confinement (§5.7); null: it does. */
  readonly confined: string | null;
  /** Files it reads: all of these must be readable. */
  readonly reads: readonly ShellWord[];
  /** Everything that may name a file it reads, for deny and ask rules. */
  readonly candidates: readonly ShellWord[];
  readonly writes: readonly ShellWord[];
  /** Directories in which it reads every file; empty: where it runs, unless it is given something to read. */
  readonly searches: readonly string[];
  /** Directories in which it goes through links, which may lead out. */
  readonly follows: readonly string[];
  /** Null: it shows no contents of the repository. */
  readonly contents: GitContents | null;
  /** Commands that it starts itself. */
  readonly starts: readonly (readonly ShellWord[])[];
  readonly files: FileWork | null;
}

const NOTHING: Uses = {
  plain: null,
  confined: null,
  reads: [],
  candidates: [],
  writes: [],
  searches: [],
  follows: [],
  contents: null,
  starts: [],
  files: null,
};

export function uses(some: Partial<Uses>): Uses {
  return { ...NOTHING, ...some };
}

/** Neither tier lets it run. */
export function refuse(why: string, some: Partial<Uses> = {}): Uses {
  return { ...NOTHING, ...some, plain: why, confined: why };
}

/** A word that may lead out of the directory: from the root, from a home, or up (§5.6). */
export function looksLikePath(text: string): boolean {
  return /^[/~]/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text);
}

/** A word that looks like a path, and what it assigns if that does. */
export function pathsIn(word: ShellWord): readonly ShellWord[] {
  const assigned = word.value.slice(word.value.indexOf("=") + 1);
  return [word, ...(assigned === word.value ? [] : [literalWord(assigned)])].filter(({ value }) =>
    looksLikePath(value),
  );
}

/** Words that lead somewhere though they are no operands: an option's value, and what follows a `=`. */
export function pathsAmong({ values, glued, understood }: ReadWords): readonly ShellWord[] {
  const texts = values.flatMap(({ option, word, form }) => {
    if (option.kind === "pattern") return [];
    // A separator is no path, and what is glued to its letter does not begin the word: `cut -d / -f1`, `cut -d/`.
    const isText = option.kind === "text" && (form === "letter" || /^\/+$/.test(word.value));
    return isText ? pathsIn(word).filter((path) => path !== word) : pathsIn(word);
  });
  // Behind a letter that is not known, anything may be a path.
  return understood ? texts : [...texts, ...glued.flatMap(pathsIn)];
}
