import { looksLikePath, optionForm, readOptions } from "./options.ts";
import type { Uses } from "./uses.ts";
import { refuse } from "./uses.ts";
import type { ShellWord } from "./words.ts";

/** What runs a program or writes a file in the commands that show something. */
const SHOW = optionForm(
  "--ext-diff:refused --textconv:refused --output:refused -O:refused --no-index:refused --help:refused " +
    "--text:text --grep:text --author:text --committer:text --since:text --until:text --after:text --before:text " +
    "--format:text --pretty:text --date:text --word-diff-regex:text --src-prefix:text --dst-prefix:text " +
    "--line-prefix:text --exclude-from:file --contents:file --ignore-revs-file:file --sort:text " +
    "-S:text -G:text -L:text -n:text -l:text -U:text -X:glued -M:glued -C:glued -B:glued",
);
/** `--text` takes no value, and is no abbreviation of `--textconv` either. */
const FLAGS: ReadonlySet<string> = new Set(["--text"]);

const SHOWING: ReadonlySet<string> = new Set(
  "status log diff show rev-parse rev-list ls-files blame describe shortlog".split(" "),
);

const BRANCH_LIST =
  /^(?:-[arvqil]+|--(?:all|remotes|verbose|list|show-current|ignore-case|column|no-column|color|no-color|no-abbrev)|--(?:color|column|abbrev|sort|format|contains|no-contains|merged|no-merged|points-at)=.*)$/s;
const TAG_LIST =
  /^(?:-[lin]+|-n\d+|--(?:list|ignore-case|column|no-column|color|no-color)|--(?:color|column|sort|format|contains|no-contains|merged|no-merged|points-at)=.*)$/s;
/** Options of both whose value may be the next word. */
const NAMES_COMMIT = /^--(?:contains|no-contains|merged|no-merged|points-at|sort|format)$/;

/** The words after `git`. Global options are refused: `-c` alone runs any command. */
export function gitReads(words: readonly ShellWord[]): Uses {
  const [subcommand, ...rest] = words;
  const name = subcommand?.value ?? "";
  const [first] = rest;
  if (SHOWING.has(name)) return shows(name, rest);
  if (name === "branch") return lists(rest, BRANCH_LIST, /^(?:-[arvqi]*l[arvqil]*|--list)$/);
  if (name === "tag") return lists(rest, TAG_LIST, /^(?:-[li]*[ln]|-[li]*l[lin]*|-n\d+|--list)$/);
  if (name === "remote") {
    return rest.every(({ value }) => value === "-v" || value === "--verbose") ? uses([]) : changes(name);
  }
  if (name === "stash" && (first?.value === "list" || first?.value === "show"))
    return shows(name, rest.slice(1));
  return changes(name);
}

function shows(name: string, words: readonly ShellWord[]): Uses {
  const flagless = words.filter(({ value }) => !FLAGS.has(value));
  const read = readOptions(flagless, SHOW);
  // A revision may name a file after its colon.
  const values = read.operands.map(({ value }) => value);
  const inRevisions = values.flatMap((value) =>
    value.includes(":") ? [value.slice(value.indexOf(":") + 1)] : [],
  );
  const reads = [
    ...values,
    ...inRevisions.filter(Boolean),
    ...read.files,
    ...read.unknown.filter(looksLikePath),
  ];
  if (name === "blame" && read.options.has("-S"))
    return refuse("git blame -S reads a file of revisions", reads);
  if (read.refused) return refuse(`git ${name} ${read.refused} runs a program or writes a file`, reads);
  return { why: null, reads, writes: [] };
}

/** A listing has no operand but patterns; without `--list` an operand would be made. */
function lists(words: readonly ShellWord[], allowed: RegExp, patterns: RegExp): Uses {
  const asked = words.some(({ value }) => patterns.test(value));
  for (let at = 0; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (NAMES_COMMIT.test(value)) {
      at += 1;
      if (words[at]?.value.startsWith("-")) return refuse(`git would be told ${value} without a value`);
    } else if (value.startsWith("-") ? !allowed.test(value) : !asked) {
      return refuse(`git may change something with ${value}`);
    }
  }
  return uses([]);
}

function uses(reads: readonly string[]): Uses {
  return { why: null, reads, writes: [] };
}

function changes(name: string): Uses {
  return refuse(
    name === "" || name.startsWith("-")
      ? "git has options of its own here"
      : `git ${name} may change something`,
  );
}
