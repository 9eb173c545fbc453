import { parseShell } from "../shell/parse.ts";
import type { ShellPart, ShellRedirect } from "../shell/script.ts";
import { plainWords, type ShellWord } from "../shell/words.ts";
import { findStarted } from "../shell/wrappers.ts";
import type { Whereabouts } from "./directories.ts";
import { follow, type State } from "./follow.ts";

/**
 * Callbacks for each command that another one is or starts, and for the parts of scripts that it passes to a shell.
 */
export interface StartedVisitor {
  /** `text` is that of the words. */
  command(words: readonly ShellWord[], text: string): void;
  part(part: ShellPart, state: State, depth: number): void;
  redirect(redirect: ShellRedirect, state: State): void;
}

/** The limit of nested scripts: each level needs another level of quotes. */
const MAX_NESTING = 40;

/** Visits a command and each one it starts, in the widest sense (§5.5). `part` contains it. */
export function startedCommands(
  words: readonly ShellWord[],
  part: ShellPart,
  at: Whereabouts,
  { home, depth }: { readonly home: string; readonly depth: number },
  visit: StartedVisitor,
): void {
  const todo: (readonly ShellWord[])[] = [words];
  // A command started by a runner is a suffix of the runner's; each is visited once.
  const seen = new Set<string>();
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const text = plainWords(next);
    if (seen.has(text)) continue;
    seen.add(text);
    visit.command(next, text);
    const { commands, scripts } = findStarted(next, part.documents);
    todo.push(...commands);
    if (depth >= MAX_NESTING) continue;
    for (const script of scripts) {
      follow(parseShell(script), at, home, {
        part: (inner, state) => visit.part(inner, state, depth + 1),
        redirects: (redirects, state) => {
          for (const one of redirects) visit.redirect(one, state);
        },
      });
    }
  }
}
