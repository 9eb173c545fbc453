import type { Desk } from "./offered-tools.ts";
import type { Outcome, Plan, Wish } from "./plan.ts";
import { globPaths, grepLines, readLines, type SeenLine } from "./tool-output.ts";

/** What tools have shown so far. Paths are as a person reads them. */
export interface Sight {
  readonly lines: readonly SeenLine[];
  /** Paths whose lines were read, not only found by a search. */
  readonly read: ReadonlySet<string>;
  /** File names that Glob found. */
  readonly files: readonly string[];
  readonly searches: number;
  readonly readings: number;
  /** A search showed as many lines as it was allowed to: there may be more. */
  readonly full: boolean;
  /** What tools said when they could not answer. */
  readonly problems: readonly string[];
}

export const nothingSeen: Sight = {
  lines: [],
  read: new Set(),
  files: [],
  searches: 0,
  readings: 0,
  full: false,
  problems: [],
};

/** One round: asks for these calls and adds what they show. */
export function* observe(wishes: readonly Wish[], before: Sight, desk: Desk): Plan<Sight> {
  if (wishes.length === 0) return before;
  const outcomes = yield wishes;
  return wishes.reduce((sight, wish, at) => added(sight, wish, outcomes[at], desk), before);
}

function added(sight: Sight, wish: Wish, outcome: Outcome | undefined, desk: Desk): Sight {
  if (outcome === undefined || outcome.type === "not-asked") return sight;
  if (outcome.type === "error") {
    const said = outcome.text.split("\n", 1)[0] ?? "";
    return { ...sight, problems: [...sight.problems, `${wish.tool}: ${said}`] };
  }
  const { pattern, file_path } = wish.input;
  if (typeof file_path === "string") {
    const path = desk.shown(file_path);
    return {
      ...sight,
      lines: [...sight.lines, ...readLines(path, outcome.text)],
      read: new Set([...sight.read, path]),
      readings: sight.readings + 1,
    };
  }
  const searches = sight.searches + (typeof pattern === "string" ? 1 : 0);
  if (wish.tool === desk.offered("Glob")) {
    return { ...sight, searches, files: [...sight.files, ...globPaths(outcome.text).map(desk.shown)] };
  }
  const found = grepLines(outcome.text).map((line) => ({ ...line, path: desk.shown(line.path) }));
  const full = sight.full || found.length >= Number(wish.input["head_limit"]);
  return { ...sight, searches, full, lines: [...sight.lines, ...found] };
}
