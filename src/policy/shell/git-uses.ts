import { gitTable } from "./git-table.ts";
import { actingProblem, type ReadWords, readOptions } from "./read-options.ts";
import { readRow } from "./rows.ts";
import { type GitContents, pathsAmong, refuse, type Uses, uses } from "./uses.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** What a call of git reads, and where it runs. */
export interface GitUses extends Uses {
  /** Directories that `-C` leads to, one after the other. */
  readonly into: readonly string[];
}

const SHOWS = new Set(["diff", "show", "blame", "stash show", "grep", "cat-file"]);
/** Of what lists commits, these show contents as well. */
const CONTENTS = new Set(
  "p u c m L U W patch patch-with-stat patch-with-raw unified cc remerge-diff diff-merges function-context binary word-diff color-words dd check".split(
    " ",
  ),
);
/** Options with which these show names and counts, unless one of `CONTENTS` comes with them. */
const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [
    "log s q quiet no-patch stat shortstat numstat dirstat summary name-only name-status raw compact-summary",
    "grep l files-with-matches q",
    "cat-file t s e",
  ].map((line) => [line.split(" ", 1).join(), new Set(line.split(" ").slice(1))]),
);
const VERBOSE = new Set(["v", "verbose"]);
const SHOWING = new Set(["log", "diff", "show", "rev-list", "stash list", "stash show", "reflog"]);

/** git's own options; what stands before `|` may come before what reads in a confinement. */
const GLOBALS = readRow(
  "T< C:P /no-pager | c: p/paginate P /git-dir: /work-tree: /namespace: /exec-path: /super-prefix: /config-env: /attr-source:",
);

/** The words after `git`: its own options, and as operands the subcommand with its words. */
export function readGit(words: readonly ShellWord[]): ReadWords {
  return readOptions(words, GLOBALS);
}

/** The words after `git`. */
export function gitUses(words: readonly ShellWord[]): GitUses {
  const read = readGit(words);
  const own = subcommandUses(read.operands);
  const moved = read.valuesOf("path");
  const into = moved.map(({ value }) => value);
  if (read.operands.length === words.length) return { ...own, into };
  const globals = "git has options of its own before the subcommand";
  // git itself takes no value that is glued.
  const odd = read.misfit !== null || read.values.some(({ form }) => form !== "word");
  return {
    ...own,
    into,
    plain: globals,
    confined: odd ? globals : own.confined,
    reads: [...own.reads, ...moved],
  };
}

function subcommandUses(words: readonly ShellWord[]): Uses {
  const [first, second] = words;
  const two = `${first?.value} ${second?.value}`;
  const name = gitTable.has(two) ? two : (first?.value ?? "");
  const row = gitTable.get(name);
  const given = words.slice(name === two ? 2 : 1);
  if (row === undefined) {
    const why = name === "" ? "git without a subcommand" : `git ${name} may change something`;
    return refuse(why, { candidates: given.flatMap(pathsOf) });
  }
  const read = readOptions(given, row);
  const paths = (row.operands === "pattern" ? read.afterFirst : read.operands).flatMap(pathsOf);
  const lines = read.values.filter(({ option }) => option === row.letters.get("L")).map(({ word }) => word);
  const named = [...paths, ...lines.flatMap(pathsOf)];
  const found: Partial<Uses> = {
    reads:
      row.operands === "text" ? pathsAmong(read) : [...named, ...read.valuesOf("path"), ...pathsAmong(read)],
    candidates: [...named, ...read.values.map(({ word }) => word), ...read.glued],
    contents: contentsOf(name, given, read),
  };
  const manual = words.some(({ value }) => value === "--help") ? "--help starts the reader of manuals" : null;
  const acts = actingProblem(read) ?? manual ?? operandProblem(name, read);
  if (acts !== null) return refuse(`git ${name}: ${acts}`, found);
  const plain = row.confinedOnly
    ? `git ${name} is not plain reading`
    : (read.misfit ?? formatProblem(read) ?? valueProblem(name, read));
  return uses({ ...found, plain });
}

/** A path in a revision, behind a pathspec's magic, or behind the lines of `-L`. */
function pathsOf(word: ShellWord): readonly ShellWord[] {
  const { value } = word;
  const colon = value.indexOf(":");
  if (colon < 0) return [word];
  const bare = value.replace(/^:(?:\([^)]*\)|[!^/]*:?)/, "");
  const behind = [value.slice(colon + 1), value.slice(value.lastIndexOf(":") + 1), bare];
  return [word, ...[...new Set(behind)].filter(Boolean).map(literalWord)];
}

/** A signature is checked by a program that the configuration names. */
function formatProblem({ values, glued }: ReadWords): string | null {
  const all = [...values.map(({ word }) => word), ...glued];
  return all.some(({ value }) => /%[-+ ]?G/.test(value)) ? "%G starts a program" : null;
}

function operandProblem(name: string, { options, operands }: ReadWords): string | null {
  const lists = options.has("l") || options.has("list");
  if ((name === "branch" || name === "tag") && !lists && operands.length > 0)
    return "a name without --list would be made";
  if (name === "remote" && operands.length > 0) return "it may change the remotes";
  if (name === "reflog" && /^(?:expire|delete|drop|write)$/.test(operands[0]?.value ?? ""))
    return "it would remove entries";
  return null;
}

/** A value that begins with a dash, or that ends the options early: `--author -- --output=x`. */
function valueProblem(name: string, { values }: ReadWords): string | null {
  const odd = values.find(({ word, form }) => form === "word" && /^-(?!\d+$)/.test(word.value));
  return odd ? `"${odd.word.value}" would be a value of git ${name}` : null;
}

/** What of the repository it shows, beyond names and counts. */
function contentsOf(
  name: string,
  given: readonly ShellWord[],
  { options, operands, understood }: ReadWords,
): GitContents | null {
  const has = (names: ReadonlySet<string>) => [...options.keys()].some((option) => names.has(option));
  if (name === "status" && !has(VERBOSE)) return null;
  if (name !== "status" && !SHOWS.has(name) && !SHOWING.has(name)) return null;
  const only = NAMES.get(SHOWING.has(name) ? "log" : name);
  if (understood && SHOWING.has(name) && !SHOWS.has(name) && !has(CONTENTS)) return null;
  if (understood && only !== undefined && has(only) && !has(CONTENTS)) return null;
  // An option that is not known may show more than its paths say.
  if (!understood || name === "status") return { paths: null, below: true };
  if (name === "blame") return { paths: operands.slice(-1).map(({ value }) => value), below: false };
  const end = given.findIndex(({ value }) => value === "--");
  const behind = end < 0 ? [] : given.slice(end + 1);
  if (behind.length > 0) return { paths: behind.map(({ value }) => value), below: true };
  const inRevisions = operands.map(({ value }) => /^(?::\d:|:(?![(!^/])|[^:]+:)(.+)$/s.exec(value)?.[1]);
  // `git diff HEAD:src` compares with every file that there is now.
  const known = inRevisions.filter((path) => path !== undefined);
  const all = known.length > 0 && known.length === inRevisions.length && !options.has("L");
  const paths = all && (name === "show" || name === "cat-file") ? known : null;
  // Of a directory in a revision it shows names only.
  return { paths, below: false };
}
