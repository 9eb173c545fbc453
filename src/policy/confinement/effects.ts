import { located, loopedWords, named } from "../engine/command-words.ts";
import type { Whereabouts } from "../engine/directories.ts";
import { follow } from "../engine/follow.ts";
import { cdTarget } from "../engine/permits.ts";
import { handedOver } from "../engine/removals.ts";
import { startedBy } from "../engine/started.ts";
import { withoutBraces } from "../shell/braces.ts";
import { fileCommandUses } from "../shell/file-commands.ts";
import { parseShell } from "../shell/parse.ts";
import { readOnlyUses, takesText } from "../shell/read-only.ts";
import type { ShellPart, ShellRedirect } from "../shell/script.ts";
import { literalWord, type ShellWord } from "../shell/words.ts";
import { nameOf, unwrapped } from "../shell/wrappers.ts";

/** Something that a command does, as far as its words tell. Paths are as written; `folders`: where it may stand then. */
export type Effect = { readonly folders: readonly string[] } & (
  | { readonly type: "write" | "read" | "move"; readonly path: string }
  /** A word of a command that nobody knows: it may be read, written, or no path at all. */
  | { readonly type: "named"; readonly path: string }
  /** A program for an interpreter, with paths anywhere in it. */
  | { readonly type: "program"; readonly text: string }
  /** The words after `git`. */
  | { readonly type: "git"; readonly words: readonly ShellWord[] }
  /** A variable that tells git where its repository is. */
  | { readonly type: "steer"; readonly name: string; readonly value: string | null }
);

/** They change each file that they name, and no row of the shell's tables knows them. */
const WRITERS: ReadonlySet<string> = new Set(
  "tee truncate dd chmod chown chgrp shred unlink install patch mkfifo mknod".split(" "),
);
const INTERPRETERS =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python|python\d[\d.]*|pypy\d*|perl|ruby|php|lua|awk|gawk|mawk|sed|ed|ex)$/;
const STEERS_GIT = /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|CONFIG\w*)$/;

/** What a command does to files and to the repository, in the order in which it is written. Never throws for a command. */
export function effectsOf(command: string, cwd: string, home: string): readonly Effect[] {
  const found: Effect[] = [];
  const survey = new Survey(cwd, home, found);
  follow(parseShell(command), { folders: [cwd], lost: false }, home, {
    part: (part, where) => survey.part(part, where.now, 0),
    redirects: (redirects, where) => {
      for (const one of redirects) survey.redirect(one, where.now);
    },
  });
  return found;
}

class Survey {
  readonly #cwd: string;
  readonly #home: string;
  readonly #found: Effect[];

  constructor(cwd: string, home: string, found: Effect[]) {
    this.#cwd = cwd;
    this.#home = home;
    this.#found = found;
  }

  part(part: ShellPart, at: Whereabouts, depth: number): void {
    for (const redirect of part.redirects) this.redirect(redirect, at);
    for (const { name, value } of part.assignments) {
      const [word] = value === null ? [] : located([value], this.#home, this.#cwd);
      this.#assignment(name, word ?? null, at);
    }
    if (part.kind !== "command") return;
    const spellings = [part.words, withoutBraces(part.words), ...loopedWords(part.words, part.loopNames)];
    for (const words of spellings) {
      if (words === null || words.length === 0) continue;
      startedBy(
        words,
        part,
        at,
        { home: this.#home, depth },
        {
          command: (started) => this.#command(started, part, at),
          part: (inner, where, deeper) => this.part(inner, where, deeper),
          redirect: (redirect, where) => this.redirect(redirect, where),
        },
      );
    }
  }

  redirect(redirect: ShellRedirect, at: Whereabouts): void {
    if (redirect.type === "unknown") return;
    const [word] = located([redirect.target], this.#home, this.#cwd);
    this.#add({ type: redirect.type === "read" ? "read" : "write", path: word?.value ?? "" }, at);
  }

  #assignment(name: string, value: ShellWord | null, at: Whereabouts): void {
    if (STEERS_GIT.test(name))
      this.#add({ type: "steer", name, value: value?.literal ? value.value : null }, at);
    else if (value !== null) this.#named(value, at);
  }

  #command(words: readonly ShellWord[], part: ShellPart, at: Whereabouts): void {
    const name = nameOf(words[0]);
    const fed = unwrapped(part.words).xargs ? handedOver(part) : [];
    const known = located([...named(words, name), ...fed], this.#home, this.#cwd);
    const rest = known.slice(1);
    for (const { value } of rest) {
      const [, variable, text] = /^(GIT_\w+)=(.*)$/s.exec(value) ?? [];
      if (variable !== undefined && STEERS_GIT.test(variable))
        this.#add({ type: "steer", name: variable, value: text ?? null }, at);
    }
    if (name === "cd" || name === "pushd") {
      const { to } = cdTarget(known, this.#home);
      if (to !== null) this.#add({ type: "move", path: to }, at);
      return;
    }
    if (name === "git") this.#add({ type: "git", words: rest }, at);
    // Where git keeps its programs, each has a name of its own.
    if (name.startsWith("git-"))
      this.#add({ type: "git", words: [literalWord(name.slice("git-".length)), ...rest] }, at);
    const reads = readOnlyUses(known, part.loopNames);
    const files = fileCommandUses(known);
    // What find was told to do with what it finds is more than reading.
    const acts = name === "find" && reads !== null && reads.why !== null;
    for (const path of [...(reads?.reads ?? []), ...(files?.reads ?? [])])
      this.#add({ type: acts ? "write" : "read", path }, at);
    for (const path of files?.writes ?? []) this.#add({ type: "write", path }, at);
    if (WRITERS.has(name)) for (const path of rest.flatMap(pathsIn)) this.#add({ type: "write", path }, at);
    if (takesText(name) || files !== null || (reads !== null && reads.why === null)) return;
    for (const word of rest) this.#named(word, at);
    if (!INTERPRETERS.test(name)) return;
    const texts = [...rest.map(({ value }) => value), ...part.documents];
    for (const text of texts) this.#add({ type: "program", text }, at);
  }

  #named(word: ShellWord, at: Whereabouts): void {
    for (const path of pathsIn(word)) this.#add({ type: "named", path }, at);
  }

  #add(effect: WithoutFolders<Effect>, at: Whereabouts): void {
    const folders = at.lost ? [...new Set([...at.folders, this.#cwd])] : at.folders;
    this.#found.push({ ...effect, folders });
  }
}

type WithoutFolders<T> = T extends unknown ? Omit<T, "folders"> : never;

/** What of a word may be a path: all of it, behind `=`, in a list, behind an option's letter. */
function pathsIn({ value }: ShellWord): readonly string[] {
  if (/\s/.test(value.trim()) && !/^[~/]/.test(value)) return [];
  const behind = /^-[A-Za-z](?=[~/.])/.exec(value);
  const parts = [value, ...value.split(/[=:,]/), ...(behind ? [value.slice(2)] : [])];
  return [...new Set(parts)].filter((part) => part.includes("/") || part === ".." || part === "~");
}
