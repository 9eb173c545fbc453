import { cdTarget, type Whereabouts } from "../engine/directories.ts";
import { follow, type State, startedCommands } from "../engine/follow.ts";
import { handedOver } from "../engine/removals.ts";
import { fillIn } from "../engine/values.ts";
import { readingUses } from "../shell/command-uses.ts";
import { parseShell } from "../shell/parse.ts";
import { literalWord, type ShellPart, type ShellRedirect, type ShellWord } from "../shell/script.ts";
import { programName } from "../shell/wrappers.ts";

/**
 * An effect of a command, as far as its text shows. Paths are as written; `folders`: the possible working directories.
 */
export type Effect = { readonly folders: readonly string[] } & (
  | { readonly type: "write" | "read" | "move"; readonly path: string }
  /** A word of an unknown command: it may be read or written, or not be a path. */
  | { readonly type: "named"; readonly path: string }
  /** A program for an interpreter, with paths anywhere in it. */
  | { readonly type: "program"; readonly text: string }
  /** The words after `git`. */
  | { readonly type: "git"; readonly words: readonly ShellWord[] }
  /** A variable that tells git where its repository is. */
  | { readonly type: "steer"; readonly name: string; readonly value: string | null }
);

/** Programs that change each file they name and are missing in the shell's tables. */
const WRITERS: ReadonlySet<string> = new Set(
  "tee truncate dd chmod chown chgrp shred unlink install patch mkfifo mknod".split(" "),
);
const INTERPRETERS =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python|python\d[\d.]*|pypy\d*|perl|ruby|php|lua|awk|gawk|mawk|sed|ed|ex)$/;
const STEERS_GIT = /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|INDEX_FILE|OBJECT_DIRECTORY|CONFIG\w*)$/;

/**
 * Returns what a command does to files and to the repository, in the order in which it is written. Never throws for a
 * command.
 */
export function effectsOf(command: string, cwd: string, home: string): readonly Effect[] {
  const found: Effect[] = [];
  const survey = new Survey(cwd, home, found);
  follow(parseShell(command), { folders: [cwd], lost: false }, home, {
    part: (part, state) => survey.part(part, state, 0),
    redirects: (redirects, state) => {
      for (const one of redirects) survey.redirect(one, state);
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

  part(part: ShellPart, state: State, depth: number): void {
    for (const redirect of part.redirects) this.redirect(redirect, state);
    for (const { name, value } of part.assignments)
      for (const word of value === null ? [null] : filledWords([value], state))
        this.#assignment(name, word, state.at);
    if (part.kind !== "command") return;
    const spellings = [part.words, ...(fillIn(part.words, state.known) ?? []).map(({ words }) => words)];
    for (const words of new Set(spellings)) {
      if (words.length === 0) continue;
      startedCommands(
        words,
        part,
        state.at,
        { home: this.#home, depth },
        {
          command: (started) => this.#command(started, part, state.at),
          part: (inner, where, deeper) => this.part(inner, where, deeper),
          redirect: (redirect, where) => this.redirect(redirect, where),
        },
      );
    }
  }

  redirect(redirect: ShellRedirect, state: State): void {
    if (redirect.type === "unknown") return;
    for (const { value } of filledWords([redirect.target], state))
      this.#add({ type: redirect.type === "read" ? "read" : "write", path: value }, state.at);
  }

  #assignment(name: string, value: ShellWord | null, at: Whereabouts): void {
    if (STEERS_GIT.test(name))
      this.#add({ type: "steer", name, value: value?.literal ? value.value : null }, at);
    else if (value !== null) this.#named(value, at);
  }

  #command(words: readonly ShellWord[], part: ShellPart, at: Whereabouts): void {
    const name = programName(words[0]);
    const fed = part.words.some(({ value }) => value === "xargs") ? handedOver(part) : [];
    const rest = [...words.slice(1), ...fed];
    const known = [literalWord(name), ...rest];
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
    // In git's own directory each of its programs has its own name.
    if (name.startsWith("git-"))
      this.#add({ type: "git", words: [literalWord(name.slice("git-".length)), ...rest] }, at);
    const uses = readingUses(known);
    // Actions of find can do more than read.
    const acts = name === "find" && uses !== null && (uses.confined !== null || uses.starts.length > 0);
    for (const { value } of uses?.reads ?? []) this.#add({ type: acts ? "write" : "read", path: value }, at);
    for (const { value } of uses?.files ? uses.writes : []) this.#add({ type: "write", path: value }, at);
    if (WRITERS.has(name)) for (const path of rest.flatMap(pathsIn)) this.#add({ type: "write", path }, at);
    const isKnown = uses !== null && (uses.files !== null || uses.confined === null);
    if (!isKnown) for (const word of rest) this.#named(word, at);
    if (!INTERPRETERS.test(name) || (isKnown && name === "sed")) return;
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

function filledWords(words: readonly ShellWord[], { known }: State): readonly ShellWord[] {
  return (fillIn(words, known) ?? [{ words }]).flatMap((filled) => filled.words);
}

type WithoutFolders<T> = T extends unknown ? Omit<T, "folders"> : never;

/** Returns the parts of a word that may be a path: all of it, after `=`, in a list, after an option's letter. */
function pathsIn({ value }: ShellWord): readonly string[] {
  if (/\s/.test(value.trim()) && !/^[~/]/.test(value)) return [];
  const behind = /^-[A-Za-z](?=[~/.])/.exec(value);
  const parts = [value, ...value.split(/[=:,]/), ...(behind ? [value.slice(2)] : [])];
  return [...new Set(parts)].filter((part) => part.includes("/") || part === ".." || part === "~");
}
