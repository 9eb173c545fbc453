import { readGit } from "./git-uses.ts";
import { readOptions } from "./read-options.ts";
import { readTable } from "./rows.ts";
import type { ShellWord } from "./words.ts";

/** A call of git that loses what no undo restores: its subcommand, and the arguments that make it so (§5.12). */
export interface GitDestruction {
  readonly subcommand: string;
  readonly words: readonly string[];
}

/** What destroys is marked with `!`. A value counts only where it is glued: the next word may destroy all the same. */
const TABLE = readTable({
  push: "T f/force! d/delete! /force-with-lease! /force-if-includes! /mirror! /prune! o? /no-verify!",
  reset: "T /hard! /keep! /no-verify!",
  checkout: "F f/force! B! b? /no-verify!",
  restore: "F /force! s? /no-verify!",
  switch: "F f/force! C/force-create! /discard-changes! c? /no-verify!",
  branch: "T D! M! C! f/force! u? /no-verify!",
  tag: "T d/delete! f/force! m? F? u? /no-verify!",
  commit: "T n! /amend! m? F? C? c? t? S? u? /no-verify!",
  gc: "T /prune! /no-verify!",
  clean: "T n/dry-run d f/force i/interactive q/quiet x X e/exclude?",
  other: "T /no-verify!",
});
/** Operands that destroy, in addition to paths of a row with `F` that are more than one file. */
const WORDS: Readonly<Record<string, RegExp>> = {
  push: /^[+:]/,
  reflog: /^(?:expire|delete)$/,
  stash: /^(?:drop|clear)$/,
};
/** Paths that are more than one file. */
const MANY = /^\.{1,2}\/*$|^:|[*?[]|\/$/;

/** Returns what destroys in the words after `git`, or null. Options count clustered and abbreviated. */
export function findDestruction(
  words: readonly ShellWord[],
  isDirectory: (path: string) => boolean,
): GitDestruction | null {
  const [{ value: subcommand } = { value: "" }, ...rest] = readGit(words).operands;
  const whole = { subcommand, words: [subcommand] };
  const row = TABLE.get(subcommand) ?? TABLE.get("other");
  if (row === undefined || /^(?:rebase|filter-.*|replace|update-ref)$/.test(subcommand)) return whole;
  const { acting, operands, options, abbreviated, understood } = readOptions(rest, row);
  if (subcommand === "clean")
    return understood && !abbreviated && (options.has("n") || options.has("dry-run")) ? null : whole;
  const lost = operands.filter(({ value, pieces }) => {
    if (row.operands !== "files") return WORDS[subcommand]?.test(value);
    return MANY.test(value) || pieces.some(({ type }) => type === "glob") || isDirectory(value);
  });
  const found = [...acting, ...lost.map(({ value }) => value)];
  return found.length === 0 ? null : { subcommand, words: found };
}
