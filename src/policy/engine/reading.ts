import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { EverTracked } from "../judgement.ts";
import { type ShellPart, type ShellWord, UNKNOWN } from "../shell/script.ts";
import { looksLikePath, type Uses } from "../shell/uses.ts";
import { ProgramPath } from "./call-paths.ts";
import type { Whereabouts } from "./directories.ts";
import {
  harmProblem,
  leavesDirIfUnset,
  plainWordProblem,
  splitProblem,
  TALKERS,
  unknownWord,
} from "./expansions.ts";
import { isPlaced } from "./facts.ts";
import type { FileAccess } from "./file-access.ts";
import type { State } from "./follow.ts";
import { hasGlob, pathsOfGlob, textBeforeGlob } from "./globs.ts";
import { fedBy, fillIn } from "./values.ts";

/** Whether a part only reads, in each tier: null, or why it does not. */
export interface Reading {
  readonly plain: string | null;
  readonly confined: string | null;
}

/** Returns that it reads in no tier. */
export function neither(why: string): Reading {
  return { plain: why, confined: why };
}

/** The place of a part in a script, and the facts known there. */
export type ReadingPlace = Omit<State, "afterCd">;

/** A file could be named like one of their options. */
const BEGINNING_NEEDED: ReadonlySet<string> = new Set(
  "find sort sed git rg tree file strings date hostname cd".split(" "),
);
const NO_GLOBS: ReadonlySet<string> = new Set(["uniq", "xxd"]);
const TEXTS: ReadonlySet<string> = new Set([...TALKERS, "basename", "dirname"]);
/** They show a link and do not follow it. */
const SHOWS_LINKS: ReadonlySet<string> = new Set(["du", "stat", "readlink", "echo"]);

/** Evaluates whether commands only read (§5.6, §5.7). */
export class ReadingCheck {
  readonly #files: FileAccess;
  readonly #everTracked: EverTracked;
  readonly #programs: ProgramPath;
  readonly #repositories = new Map<string, Repository>();

  constructor(files: FileAccess, everTracked: EverTracked) {
    this.#files = files;
    this.#everTracked = everTracked;
    this.#programs = new ProgramPath(files.paths, files.place.path);
  }

  /** `words`: those of the part, without wrappers; xargs is one of them. */
  command(words: readonly ShellWord[], part: ShellPart, place: ReadingPlace): Reading {
    const name = words[0]?.value ?? "";
    const changed = place.facts.changedShell;
    if (changed !== null) return neither(changed);
    const program = this.#programs.quickProblem(name);
    if (program !== null) return neither(program);
    const variants = fillIn(words, place.known);
    if (variants === null) return neither("it has more combinations of values than are looked at");
    const tested = name === "test" || name === "[" ? splitProblem(words, variants) : null;
    let [plain, confined]: [string | null, string | null] = [
      tested ?? plainWordProblem(words, part) ?? this.#globProblem(name, words, place, true),
      tested ?? harmProblem(words, place.known),
    ];
    for (const { words: filled, shown } of variants) {
      if (confined !== null && plain !== null) break;
      const uses = this.#files.usesOf(filled);
      if (uses === null) return neither(`${name} is not known to be read-only`);
      // A substitution or an unquoted value may bring paths, too.
      const brought = shown.filter(({ value }) => looksLikePath(value));
      const path = this.#pathProblem([...uses.reads, ...brought], place);
      const searched = this.#searchProblem(uses, part, place);
      const followed = this.#followProblem(uses, place);
      const both = path ?? this.#repositoryProblem(uses, place) ?? followed;
      // The most useful reason first: a path that may not be read, rather than an option.
      plain ??= both ?? uses.plain ?? searched;
      confined ??=
        both ??
        uses.confined ??
        this.#globProblem(name, filled, place, false) ??
        this.#startedProblem(uses, part, place);
    }
    // A link may lead to a program of the workspace by another name.
    if (plain !== null && confined === null) confined = this.#programs.problem(name);
    return { plain, confined };
  }

  /** Returns why git may not run here: a directory that looks like a repository would steer it. */
  repositoryTrap({ folders }: Whereabouts): string | null {
    const trap = folders.map((dir) => this.#repositoryOf(dir).trap).find((found) => found !== null);
    return trap ? `${trap} looks like a repository of its own, whose configuration may run commands` : null;
  }

  /** Returns why one of these words may not be read, or null. */
  #pathProblem(reads: readonly ShellWord[], place: ReadingPlace): string | null {
    const { at, facts } = place;
    for (const word of reads) {
      const { value } = word;
      const known = value.includes(UNKNOWN) ? value.slice(0, value.indexOf(UNKNOWN)) : value;
      if (word.pieces.some(({ type }) => type === "forbidden") && /\b(?:HOME|(?:OLD)?PWD)\b/.test(word.raw))
        return `${word.raw} may lead out of the workspace`;
      if (known !== value) {
        if (leavesDirIfUnset(word, place.known) && !this.#isAbsoluteInside(value.slice(1), place))
          return `${word.raw} leads out of the workspace if its variable is not set`;
        if (!looksLikePath(value)) continue;
        if (!/^[/~]/.test(known)) return `${word.raw} may lead out of the workspace`;
      }
      if (/^~[^/]/.test(value)) return `${value} is the directory of another user`;
      if (at.lost && !/^[/~]/.test(value)) return `the directory that ${word.raw} is in is not known`;
      const path = hasGlob(word) ? textBeforeGlob(word.pieces).replace(/[^/]*$/, "") || "." : known;
      for (const dir of at.folders) {
        const verdict = this.#files.judge("read", path, dir);
        if (isPlaced(facts, verdict.paths)) return `an earlier part may have changed what ${value} is`;
        if (verdict.deny) return `the rule ${verdict.deny.text} denies reading ${value}`;
        if (verdict.odd !== null) return `${value} cannot be granted: ${verdict.odd}`;
        if (!verdict.allowed) return `${value} is outside the workspace`;
      }
    }
    return null;
  }

  /**
   * Returns why a search of whole directories may not run plainly: a rule restricts reading something in them (§5.6).
   */
  #searchProblem({ searches }: Uses, part: ShellPart, { at, facts }: ReadingPlace): string | null {
    // In a pipeline rg reads its input, unless it gets files.
    const fed = (part.before?.length ?? 1) > 0 || part.documents.length > 0;
    for (const written of searches.filter((one) => !one.includes(UNKNOWN))) {
      const search = (/[*?[]/.test(written) ? written.replace(/[^/]*[*?[].*$/s, "") : written) || ".";
      if (written === "" && fed) continue;
      for (const dir of at.folders) {
        const path = resolve(dir, search);
        if (at.lost || isPlaced(facts, [path])) return `what ${search} has in it is not known`;
        const found = this.#files.findRestricted(path);
        if (found !== null) return `${found.text} restricts reading a file in ${search}`;
      }
    }
    return null;
  }

  /** Returns why links that it follows may lead out of the workspace. */
  #followProblem({ follows }: Uses, { at }: ReadingPlace): string | null {
    for (const follow of follows.filter((one) => !one.includes(UNKNOWN))) {
      const start = follow.replace(/[^/]*[*?[].*$/s, "") || ".";
      if (at.lost || at.folders.some((dir) => this.#files.leadsOut(resolve(dir, start))))
        return `a link in ${start} leads out of the workspace`;
    }
    return null;
  }

  /** Returns why git may not run, or may show what a rule restricts. */
  #repositoryProblem(uses: Uses, place: ReadingPlace): string | null {
    if (uses.into === null) return this.#contentsProblem(uses, place.at.folders);
    const folders = uses.into.reduce((dirs, into) => dirs.map((dir) => resolve(dir, into)), place.at.folders);
    if (place.at.lost) return "the directory that git would run in is not known";
    if (place.facts.changedGit) return "an earlier part may have changed what git finds here";
    const own = this.#repositoryOf(this.#files.cwd).top;
    if (folders.some((dir) => this.#repositoryOf(dir).top !== own))
      return "git would use another repository, whose configuration may run commands";
    return this.repositoryTrap({ folders, lost: false }) ?? this.#contentsProblem(uses, folders);
  }

  /** Returns why a file may not be read by `<` in a confinement; the confinement masks unknown names. */
  target(word: ShellWord, place: ReadingPlace): string | null {
    const variants = fillIn([word], place.known);
    if (variants === null) return `${word.raw} has more values than are looked at`;
    const reads = variants.flatMap(({ words, shown }) => [...words, ...shown]);
    return harmProblem([word], place.known) ?? this.#pathProblem(reads, place);
  }

  /** Returns why the output of git may contain a file that a Read rule restricts. */
  #contentsProblem({ contents }: Uses, folders: readonly string[]): string | null {
    if (contents === null) return null;
    const rules = folders.flatMap((dir) => this.#files.restrictionsBelow(this.#repositoryOf(dir).top));
    const [first] = rules;
    if (first === undefined) return null;
    const { paths, below } = contents;
    if (paths?.every((path) => folders.every((dir) => this.#isLiteralAndFree(path, dir, below)))) return null;
    const patterns = rules.map(({ text }) => /^\w+\((.*)\)$/s.exec(text.trim())?.[1] ?? "**");
    if (patterns.every((pattern) => this.#everTracked(pattern) === "no")) return null;
    return `git may show a file that ${first.text} restricts`;
  }

  /** True if a path is literal, and no rule can match at or below it. */
  #isLiteralAndFree(path: string, dir: string, below: boolean): boolean {
    if (/[*?[\\]|^:/.test(path) || path.includes(UNKNOWN)) return false;
    return [resolve(dir, path), resolve(this.#repositoryOf(dir).top, path)].every((one) =>
      this.#files.isFreeOfRules(one, below),
    );
  }

  #repositoryOf(dir: string): Repository {
    const found = this.#repositories.get(dir) ?? findRepository(dir);
    this.#repositories.set(dir, found);
    return found;
  }

  #startedProblem({ starts }: Uses, part: ShellPart, place: ReadingPlace): string | null {
    for (const start of starts) {
      // With operands it is a wrapper, and found names become the command.
      if (start[0]?.value === "env") return "env would start what it is given";
      // Found names may be anything, but not an option of the program that reads them.
      const words = start.map((word) => (word.value.includes("{}") ? unknownWord(word) : word));
      const given = fedBy(part).filter(({ value }) => looksLikePath(value));
      const inner = this.command([...words, ...given], part, place);
      if (inner.confined !== null) return inner.confined;
    }
    return null;
  }

  /** Checks what wildcards may find (§5.6, Globs). */
  #globProblem(
    name: string,
    words: readonly ShellWord[],
    place: ReadingPlace,
    plain: boolean,
  ): string | null {
    const end = words.findIndex(({ value }) => value === "--");
    for (const [at, word] of words.entries()) {
      if (!hasGlob(word)) continue;
      const before = textBeforeGlob(word.pieces);
      if (/^[/~]/.test(before) || word.pieces[0]?.type === "tilde") {
        if (plain || !this.#isAbsoluteInside(before, place)) return `${word.raw} looks for files outside`;
      }
      if (NO_GLOBS.has(name)) return `${word.raw} may become a second file of ${name}, which it would write`;
      if (plain) {
        const literal = /^[^-]/.test(before) || (end >= 0 && end < at && name !== "find" && name !== "tree");
        if (BEGINNING_NEEDED.has(name) && !literal)
          return `a file could be named like an option of ${name}, and ${word.raw} would find it`;
        if (before.startsWith("-") && !before.includes("=")) return `${word.raw} may become any option`;
      }
      const options = !TEXTS.has(name) && !(end >= 0 && end < at);
      const found = this.#matchProblem(name, word, words, place, { plain, options });
      if (found !== null) return found;
    }
    return null;
  }

  #isAbsoluteInside(before: string, { at }: ReadingPlace): boolean {
    const dir = before.startsWith("/") ? dirname(`${before}x`) : "";
    return dir !== "" && at.folders.every((folder) => this.#files.judge("read", dir, folder).allowed);
  }

  #matchProblem(
    name: string,
    word: ShellWord,
    words: readonly ShellWord[],
    { at, facts }: ReadingPlace,
    { plain, options }: { readonly plain: boolean; readonly options: boolean },
  ): string | null {
    if (at.lost) return `the directory that ${word.raw} is in is not known`;
    if (plain && this.#files.globRestricted(word.pieces, at.folders))
      return `${word.raw} may find a file that a rule restricts`;
    const showsLinks =
      SHOWS_LINKS.has(name) || (name === "ls" && words.some(({ value }) => /^-\w*d/.test(value)));
    for (const dir of at.folders) {
      if (isPlaced(facts, [resolve(dir, textBeforeGlob(word.pieces) || ".")]))
        return `what ${word.raw} finds is not known`;
      const paths = pathsOfGlob(word.pieces, dir);
      if (paths === null) return `${word.raw} finds more than is looked at`;
      const option =
        options && /^-?$/.test(textBeforeGlob(word.pieces).slice(0, 1))
          ? paths.find((path) => path.slice(dir.length + 1).startsWith("-"))
          : undefined;
      if (option !== undefined) return `${word.raw} finds ${option}, whose name ${name} takes for an option`;
      const out = showsLinks
        ? undefined
        : paths.find((path) => !this.#files.judge("read", path, dir).allowed);
      if (out !== undefined) return `${word.raw} finds ${out}, which leads out of the workspace`;
    }
    return null;
  }
}

interface Repository {
  /** The top directory of the repository in use; the directory itself if it is in none. */
  readonly top: string;
  /** A directory from here up to `top` that git may also take for a repository (§5.6). */
  readonly trap: string | null;
}

function findRepository(dir: string): Repository {
  let trap: string | null = null;
  for (let at = dir; ; at = dirname(at)) {
    const has = (name: string) => existsSync(join(at, name));
    if (trap === null && has("HEAD") && ((has("objects") && has("refs")) || has("commondir"))) trap = at;
    const isRoot = dirname(at) === at;
    if (isRoot || has(".git")) return { top: isRoot ? dir : at, trap };
  }
}
