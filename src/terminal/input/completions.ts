import type { AutocompleteProvider } from "@earendil-works/pi-tui";
import fuzzysort from "fuzzysort";

/** One entry of a menu. */
export interface MenuEntry {
  /** What is put in, such as `/help` or a path. */
  readonly value: string;
  readonly description?: string;
}

/** What can be completed while a prompt is typed. */
export interface Completer {
  /** Slash commands, skills and prompts: `value` begins with `/`. */
  commands(): readonly MenuEntry[];
  /** What can follow a slash command as its one argument. */
  arguments?(command: string): readonly MenuEntry[];
  /** Files of the project, relative and with `/`, to be named after `@`. Rejects on abort. */
  files(signal: AbortSignal): Promise<readonly string[]>;
}

/** Entries that a menu offers, beyond which a user types on. */
const MOST = 50;
/** A command is also found by some of its letters, such as `/cmpct`: there are few of them. */
const LETTERS_IN_ORDER = 0.2;
/** The argument of a slash command that is being typed. */
const ARGUMENT = /^(\/\S+) (\S*)$/;
/** The word that is being typed after `@`: at the beginning or after a blank, or in quotes. */
const NAMED = /(?:^|\s)@(?:"([^"]*)|([^\s"]*))$/;

/** Offers commands after a `/` at the beginning, and files after an `@`. */
export function providerOf({ commands, arguments: argumentsOf, files }: Completer): AutocompleteProvider {
  return {
    triggerCharacters: ["@"],
    async getSuggestions(lines, line, column, { signal }) {
      const before = (lines[line] ?? "").slice(0, column);
      if (line === 0 && /^\/\S*$/.test(before)) {
        const found = before === "/" ? commands() : rankCommands(before.slice(1), commands());
        return { prefix: before, items: found.slice(0, MOST).map(itemOf) };
      }
      const [, command, word = ""] = (line === 0 && ARGUMENT.exec(before)) || [];
      if (command !== undefined) {
        const found = (argumentsOf?.(command) ?? []).filter(({ value }) => value.startsWith(word));
        if (found.length > 0) return { prefix: word, items: found.slice(0, MOST).map(itemOf) };
      }
      const named = NAMED.exec(before);
      if (!named) return null;
      const path = named[1] ?? named[2] ?? "";
      const all = await files(signal).catch(() => []);
      const paths =
        path === "" ? all : fuzzysort.go(path, all as string[], { limit: MOST }).map(({ target }) => target);
      const prefix = before.slice(before.lastIndexOf("@"));
      return { prefix, items: paths.slice(0, MOST).map((one) => ({ value: mention(one), label: one })) };
    },
    applyCompletion(lines, line, column, { value }, prefix) {
      const text = lines[line] ?? "";
      const put = `${value} `;
      const from = column - prefix.length;
      const changed = text.slice(0, from) + put + text.slice(column).replace(/^ /, "");
      return { lines: lines.with(line, changed), cursorLine: line, cursorCol: from + put.length };
    },
    // Tab completes what a menu would, and no path without an @.
    shouldTriggerFileCompletion: (lines, line, column) => NAMED.test((lines[line] ?? "").slice(0, column)),
  };
}

/** Returns the only command that begins like this, or null. */
export function onlyCommand(text: string, { commands }: Pick<Completer, "commands">): string | null {
  const found = text.startsWith("/") ? commands().filter(({ value }) => value.startsWith(text)) : [];
  return found.length === 1 ? (found[0]?.value ?? null) : null;
}

/** Those that begin with it first, in their own order. */
function rankCommands(word: string, all: readonly MenuEntry[]): readonly MenuEntry[] {
  const begin = all.filter(({ value }) => value.slice(1).startsWith(word));
  const rest = all.filter((one) => !begin.includes(one));
  return [
    ...begin,
    ...fuzzysort.go(word, rest, { key: "value", threshold: LETTERS_IN_ORDER }).map(({ obj }) => obj),
  ];
}

function itemOf({ value, description }: MenuEntry) {
  return { value, label: value, ...(description === undefined ? {} : { description }) };
}

function mention(path: string): string {
  return /[\s"]/.test(path) ? `@"${path}"` : `@${path}`;
}
