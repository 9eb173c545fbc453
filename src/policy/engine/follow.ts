import { parseShell } from "../shell/parse.ts";
import {
  plainWords,
  type ShellPart,
  type ShellRedirect,
  type ShellScript,
  type ShellWord,
} from "../shell/script.ts";
import { findStarted, unwrap } from "../shell/wrappers.ts";
import { cdTarget, Directories, type Whereabouts } from "./directories.ts";
import { type Facts, factsOf, factsOfRedirects, joinFacts, NO_FACTS } from "./facts.ts";
import type { KnownValues } from "./values.ts";

/** One step of a script, and what is known there. */
export interface State {
  readonly at: Whereabouts;
  readonly facts: Facts;
  readonly known: KnownValues;
  /** True after a `cd`. */
  readonly afterCd: boolean;
  /** True for the last part, after which its directory no longer matters. */
  readonly isLast: (part: ShellPart) => boolean;
}

/** Callbacks for each step of a script. */
export interface Visitor {
  part(part: ShellPart, state: State): void;
  redirects(redirects: readonly ShellRedirect[], state: State): void;
}

/**
 * Walks the steps of a script with what is known at each of them: directories, and effects of earlier parts (§5.9).
 */
export function follow(script: ShellScript, start: Whereabouts, home: string, visit: Visitor): void {
  const where = new Directories(start);
  let facts = NO_FACTS;
  const state = (): State => ({
    at: where.now,
    facts,
    known: { home, dirs: where.now.lost ? [] : where.now.folders, values: script.values },
    afterCd: where.left,
    isLast: (part) => script.parts.at(-1) === part,
  });
  for (const step of script.steps) {
    switch (step.type) {
      case "part":
        visit.part(step.part, state());
        facts = joinFacts(facts, factsOf(step.part, where.now));
        moveBy(step.part, where, home);
        break;
      case "together":
        for (const part of step.parts) facts = joinFacts(facts, factsOf(part, where.now));
        break;
      case "redirects":
        visit.redirects(step.redirects, state());
        facts = joinFacts(facts, factsOfRedirects(step.redirects, where.now));
        break;
      case "data":
        break;
      default:
        where.step(step.type);
    }
  }
}

/** Applies a command to the working directory. */
export function moveBy(part: ShellPart, where: Directories, home: string): void {
  const words = unwrap(part.words);
  const name = words[0]?.value ?? "";
  if (name === "cd") where.move(cdTarget(words, home).to);
  else if (["pushd", "popd", "source", ".", "eval"].includes(name)) where.move(null);
}

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
