import { type Automaton, automatonOf, type State } from "./automaton.ts";
import { parseGlob } from "./syntax.ts";

/** What of a tree a pattern can match, asked on the way down. */
export interface GlobPattern {
  /** The folder that the pattern starts in. */
  readonly start: State;
  /** A folder in one that was entered; null: nothing in it can match. */
  enter(folder: State, name: string): State | null;
  matches(folder: State, name: string): boolean;
}

export type Understood =
  | { readonly type: "pattern"; readonly pattern: GlobPattern }
  /** A sentence for whoever wrote it. */
  | { readonly type: "refused"; readonly reason: string };

export function globPattern(text: string): Understood {
  const isTurned = text.startsWith("!") && !text.startsWith("!(");
  const parsed = parseGlob(isTurned ? text.slice(1) : text);
  if (parsed.type === "refused") return parsed;
  const automaton = automatonOf(parsed.pieces);
  return { type: "pattern", pattern: isTurned ? allBut(automaton) : only(automaton) };
}

function only(automaton: Automaton): GlobPattern {
  return {
    start: automaton.start,
    enter(folder, name) {
      const inside = automaton.after(automaton.after(folder, name), "/");
      return inside.isDead ? null : inside;
    },
    matches: (folder, name) => automaton.after(folder, name).fits,
  };
}

/** `!pattern`: what the pattern does not match. */
function allBut(automaton: Automaton): GlobPattern {
  return {
    start: automaton.start,
    enter: (folder, name) => automaton.after(automaton.after(folder, name), "/"),
    matches: (folder, name) => !automaton.after(folder, name).fits,
  };
}
