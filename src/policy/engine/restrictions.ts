import type { Rule } from "../rules.ts";
import { withoutBraces } from "../shell/braces.ts";
import { fileCommandUses } from "../shell/file-commands.ts";
import { readOnlyUses } from "../shell/read-only.ts";
import type { ShellPart, ShellRedirect } from "../shell/script.ts";
import { plainText, type ShellWord, unsetWords } from "../shell/words.ts";
import { nameOf, unwrapped } from "../shell/wrappers.ts";
import { located, loopedWords, named } from "./command-words.ts";
import type { Whereabouts } from "./directories.ts";
import type { Books, FileAccess, Operation } from "./file-access.ts";
import { criticalRemoval, handedOver } from "./removals.ts";
import { startedBy } from "./started.ts";

/** What speaks against a command, in the widest sense. */
export interface Restriction {
  deny: Rule | null;
  ask: Rule | null;
  /** The target of a critical removal. */
  critical: string | null;
  /** The name of something protected that a recognised command would write. */
  protects: string | null;
  /** Whether git is among what it starts. */
  git: boolean;
}

export function noRestriction(): Restriction {
  return { deny: null, ask: null, critical: null, protects: null, git: false };
}

/** Looks at what a command is and at all that it starts (§5.5), for deny and ask rules and for critical removals. */
export class Restrictions {
  readonly #books: Books;
  readonly #files: FileAccess;
  readonly #cwd: string;
  readonly #home: string;

  constructor(books: Books, files: FileAccess, cwd: string, home: string) {
    this.#books = books;
    this.#files = files;
    this.#cwd = cwd;
    this.#home = home;
  }

  part(part: ShellPart, at: Whereabouts, found: Restriction, depth = 0): void {
    for (const redirect of part.redirects) this.redirect(redirect, at, found);
    if (part.assignments.length > 0 && part.words.length >= 0) {
      const full = [...part.assignments.map(({ text }) => text), plainText(part.words)].join(" ").trim();
      this.#text(full, found);
    }
    if (part.kind === "construct" || part.words.length === 0) return;
    if (part.kind === "test") {
      this.#text(part.source, found);
      return;
    }
    for (const words of [part.words, withoutBraces(part.words)]) {
      if (words !== null) this.#words(words, part, at, found, depth);
    }
    for (const words of loopedWords(part.words, part.loopNames)) this.#words(words, part, at, found, depth);
    const unset = unsetWords(part.words);
    if (unset === null || unset.length === 0) return;
    const { critical } = found;
    this.#words(unset, part, at, found, depth);
    // "$X/build" is no removal of /build, unless the command itself is hidden by variables.
    if (part.words[0]?.literal) found.critical = critical;
  }

  redirect(redirect: ShellRedirect, at: Whereabouts, found: Restriction): void {
    if (redirect.type === "unknown") return;
    const [word] = located([redirect.target], this.#home, this.#cwd);
    const path = word?.value ?? "";
    const operations: readonly Operation[] =
      redirect.type === "both" ? ["edit", "read"] : redirect.type === "read" ? ["read"] : ["edit"];
    for (const operation of operations) this.#file(operation, path, at, found);
  }

  #words(
    start: readonly ShellWord[],
    part: ShellPart,
    at: Whereabouts,
    found: Restriction,
    depth: number,
  ): void {
    startedBy(
      start,
      part,
      at,
      { home: this.#home, depth },
      {
        command: (words) => this.#command(words, plainText(words), part, at, found),
        part: (inner, where, deeper) => this.part(inner, where, found, deeper),
        redirect: (redirect, where) => this.redirect(redirect, where, found),
      },
    );
  }

  #command(
    words: readonly ShellWord[],
    text: string,
    part: ShellPart,
    at: Whereabouts,
    found: Restriction,
  ): void {
    const name = nameOf(words[0]);
    const byName = named(words, name);
    this.#text(text, found);
    if (name !== words[0]?.value) this.#text(plainText(byName), found);
    found.git ||= name === "git";
    const xargs = unwrapped(part.words).xargs;
    const given = xargs ? [...byName, ...handedOver(part)] : byName;
    found.critical ??= criticalRemoval(given, this.#cwd, at, this.#home);
    const known = located(given, this.#home, this.#cwd);
    const reads = readOnlyUses(known, part.loopNames)?.reads ?? [];
    const uses = fileCommandUses(known);
    for (const path of [...reads, ...(uses?.reads ?? [])]) this.#file("read", path, at, found);
    for (const path of uses?.writes ?? []) this.#file("edit", path, at, found);
  }

  #text(text: string, found: Restriction): void {
    found.deny ??= this.#books.deny.commands.find(text)?.rule ?? null;
    found.ask ??= this.#books.ask.commands.find(text)?.rule ?? null;
  }

  #file(operation: Operation, path: string, at: Whereabouts, found: Restriction): void {
    const folders = at.lost ? [...at.folders, this.#cwd] : at.folders;
    for (const folder of new Set(folders)) {
      const verdict = this.#files.judge(operation, operation === "read" ? "Read" : "Edit", path, folder);
      found.deny ??= verdict.deny;
      found.ask ??= verdict.ask;
      found.protects ??= verdict.protects;
    }
  }
}
