import type { Rule } from "../../settings/permissions.ts";
import { findDestruction, type GitDestruction } from "../shell/git-uses.ts";
import {
  literalWord,
  plainWords,
  type ShellPart,
  type ShellRedirect,
  type ShellWord,
  UNKNOWN,
  unsetWords,
} from "../shell/script.ts";
import { programName } from "../shell/wrappers.ts";
import { named } from "./command-rules.ts";
import type { Whereabouts } from "./directories.ts";
import { type FileAccess, type FileUse, operationsOf } from "./file-access.ts";
import { type State, startedCommands } from "./follow.ts";
import { hasGlob, pathsOfGlob } from "./globs.ts";
import { criticalRemoval, handedOver } from "./removals.ts";
import { fedBy, fillIn } from "./values.ts";

/** The restrictions of a command, in the widest sense. */
export interface Restriction {
  deny: Rule | null;
  ask: Rule | null;
  /** The target of a critical removal. */
  critical: string | null;
  /** The name of a protected path that a known command would write. */
  protects: string | null;
  /** True if it starts git. */
  git: boolean;
  /** A call of git that destroys what no undo can restore (§5.12). */
  destroys: GitDestruction | null;
}

export function noRestriction(): Restriction {
  return { deny: null, ask: null, critical: null, protects: null, git: false, destroys: null };
}

/** Checks a command and everything it starts (§5.5), for deny and ask rules and for critical removals. */
export class Restrictions {
  readonly #files: FileAccess;

  constructor(files: FileAccess) {
    this.#files = files;
  }

  part(part: ShellPart, state: State, found: Restriction, depth = 0): void {
    for (const redirect of part.redirects) this.redirect(redirect, state, found);
    if (part.assignments.length > 0) {
      const full = [...part.assignments.map(({ text }) => text), plainWords(part.words)].join(" ").trim();
      this.#text(full, found);
    }
    if (part.kind === "construct" || part.words.length === 0) return;
    if (part.kind === "test") {
      this.#text(part.source, found);
      return;
    }
    this.#words(part.words, part, state, found, depth);
    for (const { words, shown } of fillIn(part.words, state.known) ?? []) {
      if (words === part.words) continue;
      this.#words(words, part, state, found, depth);
      this.#words([...words, ...shown], part, state, found, depth);
    }
    const unset = unsetWords(part.words);
    if (unset === null || unset.length === 0) return;
    const { critical } = found;
    this.#words(unset, part, state, found, depth);
    // "$X/build" does not remove /build, unless variables hide the command itself.
    if (part.words[0]?.literal) found.critical = critical;
  }

  redirect(redirect: ShellRedirect, { at, known }: State, found: Restriction): void {
    if (redirect.type === "unknown") return;
    const targets = (fillIn([redirect.target], known) ?? []).flatMap(({ words, shown }) => [
      ...words,
      ...shown,
    ]);
    for (const target of [redirect.target, ...targets])
      for (const operation of operationsOf(redirect)) this.#file(operation, target, at, found);
  }

  #words(
    start: readonly ShellWord[],
    part: ShellPart,
    state: State,
    found: Restriction,
    depth: number,
  ): void {
    const context = { home: this.#files.place.home, depth };
    startedCommands(start, part, state.at, context, {
      command: (words, text) => this.#command(words, text, part, state.at, found),
      part: (inner, where, deeper) => this.part(inner, where, found, deeper),
      redirect: (redirect, where) => this.redirect(redirect, where, found),
    });
  }

  #command(
    words: readonly ShellWord[],
    text: string,
    part: ShellPart,
    at: Whereabouts,
    found: Restriction,
  ): void {
    const name = programName(words[0]);
    const byName = name === words[0]?.value ? words : named(words, name);
    this.#text(text, found);
    if (name !== words[0]?.value) this.#text(plainWords(byName), found);
    if (name === "git" || name.startsWith("git-")) {
      found.git = true;
      const rest = words.slice(1);
      const own = name === "git" ? rest : [literalWord(name.slice("git-".length)), ...rest];
      found.destroys ??= findDestruction(own, (path) => this.#isDirectory(path, at));
    }
    // xargs passes on what echo and printf write.
    const fed = fedBy(part);
    const given = fed.length > 0 ? [...byName, ...fed] : byName;
    found.critical ??= criticalRemoval(
      fed.length === 0 ? byName : [...byName, ...handedOver(part)],
      this.#files.cwd,
      at,
      this.#files.place.home,
    );
    const uses = this.#files.usesOf(given);
    if (uses === null) return;
    for (const word of new Set([...uses.candidates, ...uses.reads])) this.#file("read", word, at, found);
    for (const word of uses.writes) this.#file("edit", word, at, found);
  }

  #text(text: string, found: Restriction): void {
    found.deny ??= this.#files.books.deny.commands.find(text)?.rule ?? null;
    found.ask ??= this.#files.books.ask.commands.find(text)?.rule ?? null;
  }

  #isDirectory(path: string, { folders }: Whereabouts): boolean {
    return folders.some((dir) => this.#files.paths.isDirectory(path, dir));
  }

  #file(operation: FileUse, word: ShellWord, at: Whereabouts, found: Restriction): void {
    if (word.value === "" || word.value.includes(UNKNOWN)) return;
    // Reading is restricted only by rules.
    if (operation === "read" && !this.#files.restrictsReading) return;
    const dirs = at.lost ? [...at.folders, this.#files.cwd] : at.folders;
    for (const dir of dirs) {
      const verdict = this.#files.judge(operation, word.value, dir);
      found.deny ??= verdict.deny;
      found.ask ??= verdict.ask;
      found.protects ??= verdict.protects;
      // The matches of a wildcard are only read for the mode that asks nothing.
      if (operation !== "read" || this.#files.mode !== "bypassPermissions" || !hasGlob(word)) continue;
      for (const path of pathsOfGlob(word.pieces, dir) ?? [])
        found.deny ??= this.#files.judge("read", path, dir).deny;
    }
  }
}
