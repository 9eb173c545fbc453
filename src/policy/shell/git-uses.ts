import { gitTable } from "./git-table.ts";
import { type ReadWords, readOptions } from "./read-options.ts";
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
/** These show names and counts, unless an option of `CONTENTS` comes with them. */
const NAMES = new Set(
  "s q quiet no-patch stat shortstat numstat dirstat summary name-only name-status raw compact-summary".split(
    " ",
  ),
);
const SHOWING = new Set(["log", "diff", "show", "rev-list", "stash list", "stash show", "reflog"]);

/** The words after `git`. */
export function gitUses(words: readonly ShellWord[]): GitUses {
  const into: string[] = [];
  let at = 0;
  let odd = false;
  for (; words[at]?.value.startsWith("-"); at++) {
    const value = words[at]?.value ?? "";
    if (value === "--no-pager") continue;
    if (value !== "-C" || words[at + 1] === undefined) odd = true;
    else {
      at += 1;
      into.push(words[at]?.value ?? "");
    }
  }
  const rest = words.slice(at);
  const own = subcommandUses(rest);
  const globals = at > 0 ? "git has options of its own before the subcommand" : null;
  if (odd) return { ...own, into, plain: globals, confined: globals };
  const moved = into.map(literalWord);
  return { ...own, into, plain: globals ?? own.plain, reads: [...own.reads, ...moved] };
}

function subcommandUses(words: readonly ShellWord[]): Uses {
  const [first, second] = words;
  const two = `${first?.value} ${second?.value}`;
  const name = gitTable.has(two) ? two : (first?.value ?? "");
  const row = gitTable.get(name);
  const given = words.slice(name === two ? 2 : 1);
  if (row === undefined) {
    const candidates = given.flatMap(pathsOf);
    return refuse(name === "" ? "git without a subcommand" : `git ${name} may change something`, {
      candidates,
    });
  }
  const read = readOptions(given, row);
  const operands = [...read.operands];
  if (row.operands === "pattern" && !read.options.has("*")) operands.shift();
  const paths = operands.flatMap(pathsOf);
  const lines = read.values.filter(({ option }) => option === row.letters.get("L")).map(({ word }) => word);
  const named = [...paths, ...lines.flatMap(pathsOf)];
  const files = read.values.filter(({ option }) => option.kind === "path").map(({ word }) => word);
  const found: Partial<Uses> = {
    reads: row.operands === "text" ? pathsAmong(read) : [...named, ...files, ...pathsAmong(read)],
    candidates: [...named, ...files, ...read.values.map(({ word }) => word), ...read.glued],
    contents: contentsOf(name, given, read),
  };
  const manual = words.some(({ value }) => value === "--help") ? "--help starts the reader of manuals" : null;
  const acts = read.acts ?? manual ?? operandProblem(name, read);
  if (acts !== null) return refuse(`git ${name}: ${acts}`, found);
  const plain = row.confinedOnly
    ? `git ${name} is not plain reading`
    : (read.misfit ?? formatProblem(read) ?? valueProblem(name, given, read));
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
  const writes = ["expire", "delete", "drop", "write"];
  if (name === "reflog" && writes.includes(operands[0]?.value ?? "")) return "it would remove entries";
  return null;
}

/** Where a value that begins with a dash would end the options early: `--author -- --output=x`. */
function valueProblem(name: string, given: readonly ShellWord[], { values }: ReadWords): string | null {
  const end = given.findIndex(({ value }) => value === "--");
  const before = end > 0 ? (given[end - 1]?.value ?? "") : "";
  const odd = values.find(
    ({ word, form }) => form === "word" && word.value.startsWith("-") && !/^-\d+$/.test(word.value),
  );
  if (odd) return `"${odd.word.value}" would be a value of git ${name}`;
  return /^--?[\w-]+$/.test(before) && values.some(({ word }) => word.value === "--")
    ? `-- would be a value of git ${name}`
    : null;
}

/** What of the repository it shows, beyond names and counts. */
function contentsOf(
  name: string,
  given: readonly ShellWord[],
  { options, operands, understood }: ReadWords,
): GitContents | null {
  const shows = [...options].some((option) => CONTENTS.has(option));
  if (
    name === "status" ? !options.has("v") && !options.has("verbose") : !SHOWS.has(name) && !SHOWING.has(name)
  )
    return null;
  if (understood && !shows) {
    if (name !== "status" && !SHOWS.has(name)) return null;
    if (SHOWING.has(name) && [...options].some((option) => NAMES.has(option))) return null;
    if (name === "grep" && (options.has("l") || options.has("files-with-matches") || options.has("q")))
      return null;
    if (name === "cat-file" && !options.has("p") && ["t", "s", "e"].some((one) => options.has(one)))
      return null;
  }
  // An option that is not known may show more than its paths say.
  if (!understood || name === "status") return { paths: null, below: true };
  if (name === "blame") return { paths: operands.slice(-1).map(({ value }) => value), below: false };
  const end = given.findIndex(({ value }) => value === "--");
  if (end >= 0 && end < given.length - 1)
    return { paths: given.slice(end + 1).map(({ value }) => value), below: true };
  const inRevisions = operands.map(({ value }) => /^(?::\d:|:(?![(!^/])|[^:]+:)(.+)$/s.exec(value)?.[1]);
  // `git diff HEAD:src` compares with every file that there is now.
  const all =
    (name === "show" || name === "cat-file") &&
    inRevisions.length > 0 &&
    inRevisions.every((path) => path !== undefined);
  const paths = all && !options.has("L") ? inRevisions.filter((path) => path !== undefined) : null;
  // Of a directory in a revision it shows names only.
  return { paths, below: false };
}
