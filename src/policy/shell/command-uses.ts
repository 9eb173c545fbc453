import { commandTable, fileCommandTable, versionPrograms } from "./command-table.ts";
import { findUses } from "./find.ts";
import { gitUses } from "./git-uses.ts";
import { actingProblem, isNumber, type ReadWords, readOptions } from "./read-options.ts";
import type { Row } from "./rows.ts";
import { literalWord, type ShellWord } from "./script.ts";
import {
  assignedPaths,
  type FileWork,
  looksLikePath,
  pathsAmong,
  printfUses,
  refuseUse,
  testUses,
  type Uses,
  uses,
} from "./uses.ts";
import { XARGS } from "./wrappers.ts";

/** Returns what a command reads and whether that is all it does; null if no row describes it. */
export function readingUses([command, ...rest]: readonly ShellWord[]): Uses | null {
  if (!command?.literal) return null;
  const name = command.value;
  const first = rest[0]?.value ?? "";
  if (versionPrograms.has(name) && rest.length === 1 && /^(?:--version|-V|-v|version)$/.test(first))
    return uses({ plain: `${name} is not plain reading` });
  switch (name) {
    case "git":
      return gitUses(rest);
    case "find":
      return findUses(rest);
    case "echo":
      return uses({});
    case "printf":
      return printfUses(rest);
    case "test":
    case "[":
      return testUses(name === "[" ? rest.slice(0, -1) : rest);
    case "command":
      return /^-[vV]+$/.test(first) ? uses({}) : null;
    case "xargs":
      return xargsUses(rest);
    default: {
      const [row, changing] = [commandTable.get(name), fileCommandTable.get(name)];
      return row ? rowUses(name, rest, row) : changing ? fileUses(name, rest, changing) : null;
    }
  }
}

function rowUses(name: string, words: readonly ShellWord[], row: Row): Uses {
  const read = readOptions(words, row);
  const { operands, understood } = read;
  // `-` is what it is given to read, unless it is the pattern.
  const named = namedFiles(row, read).filter(({ value }) => value !== "-");
  const paths = row.operands === "none" ? operands.filter(({ value }) => looksLikePath(value)) : named;
  const files = name === "sed" ? sedWork(words, read) : null;
  const found: Partial<Uses> = {
    reads: [...paths, ...read.valuesOf("path"), ...pathsAmong(read)],
    // If options are not told apart from operands, each word may name a file.
    candidates: [
      ...(understood || row.operands === "text" ? named : operands),
      ...read.values.flatMap(({ option, word }) => (option.kind === "pattern" ? [] : [word])),
      ...read.glued,
    ],
    writes: [...read.valuesOf("write"), ...(files ? read.afterFirst : [])],
    files,
    ...searchesOf(name, read, named),
    contents: startsPrograms(name, read) ? { paths: null, below: true } : null,
  };
  const acts = actingProblem(read) ?? operandProblem(name, row, read);
  if (acts !== null) return refuseUse(acts.startsWith(name) ? acts : `${name}: ${acts}`, found);
  const plain = read.misfit ?? misfitOf(name, row, read);
  return uses({ ...found, plain: plain ?? (row.confinedOnly ? `${name} is not plain reading` : null) });
}

/** What mkdir, touch, rm, rmdir, mv and cp read and write (§5.8). */
function fileUses(name: string, words: readonly ShellWord[], row: Row): Uses {
  const read = readOptions(words, row);
  const { operands, misfit } = read;
  const given = read.valuesOf("write");
  const end = given.length > 0 ? operands.length : -1;
  const placed = { sources: operands.slice(0, end), into: [...given, ...operands.slice(end)] };
  const nothing = operands.length === 0 ? `${name} has nothing to work on` : null;
  return refuseUse(`${name} is not known to be read-only`, {
    reads: [...(name === "cp" ? placed.sources : []), ...read.valuesOf("path")],
    writes: name === "cp" ? placed.into : [...operands, ...given],
    candidates: [...operands, ...read.values.map(({ word }) => word), ...read.glued],
    files: {
      ...{ name, placed: name === "cp" || name === "mv" ? placed : null },
      why: unknownProblem(words) ?? misfit ?? nothing,
    },
  });
}

/** What `sed -i` is to `acceptEdits` (§5.8); null without that option. */
function sedWork(words: readonly ShellWord[], read: ReadWords): FileWork | null {
  const { options, values, understood, abbreviated, afterFirst } = read;
  if (!options.has("i") && !options.has("in-place")) return null;
  const odd =
    [...options.values()].some(({ kind, plain }) => kind !== "acts" && !plain) ||
    values.some(({ option }) => option.kind === "acts");
  const why =
    unknownProblem(words) ??
    (odd || abbreviated || !understood ? "sed has an option that is not known only to edit" : null) ??
    (sedDoesOnly(scriptOf(read), "edit") ? null : "its sed script may reach other files, or run a command") ??
    (afterFirst.length === 0 ? "sed has no file to change" : null);
  return { name: "sed", why, placed: null };
}

function unknownProblem(words: readonly ShellWord[]): string | null {
  const unknown = words.find(({ literal }) => !literal);
  return unknown ? `${unknown.raw} is not known before it runs` : null;
}

function scriptOf({ first }: ReadWords): string {
  return first.map(({ value }) => value).join("\n");
}

/** Operands that name files; one such as awk's `name=value` names what follows the `=`, too. */
function namedFiles({ operands }: Row, { operands: all, afterFirst }: ReadWords): readonly ShellWord[] {
  const hasFirst = operands === "pattern" || operands === "script";
  const named = hasFirst ? afterFirst : operands === "files" || operands === "one" ? all : [];
  return named.flatMap((word) => [word, ...assignedPaths(word)]);
}

/** What its operands would write or change, or a program that it would start. */
function operandProblem(name: string, row: Row, { operands, misfit }: ReadWords): string | null {
  const has = (odd: RegExp) => operands.some(({ value }) => odd.test(value));
  if (row.operands === "one") return operands.length > 1 ? `${name} writes its second file` : null;
  if (name === "date") return has(/^(?!\+)/) ? "date would set the clock" : null;
  if (name === "env" && misfit !== null) return "env with options may start a command";
  if (row.operands === "none") return has(/^/) ? `${name} with an operand does more than show` : null;
  return name === "strings" && has(/^@/) ? "strings takes more options from a file" : null;
}

/** True if a script may start a program, such as a git that shows what a rule denies. */
function startsPrograms(name: string, { first, options }: ReadWords): boolean {
  if (name !== "awk" && name !== "sed") return false;
  if (["f", "file", "E"].some((option) => options.has(option))) return true;
  return first.some(
    ({ literal, value }) =>
      !literal || (name === "sed" ? !sedDoesOnly(value, "edit") : /system|@|(?<!\|)\|(?!\|)/.test(value)),
  );
}

/** What keeps known options and operands from being plain reading. */
function misfitOf(name: string, row: Row, read: ReadWords): string | null {
  const odd = row.operands === "numbers" ? read.operands.find(({ value }) => !isNumber(value)) : undefined;
  if (odd) return `"${odd.value}" is not a number`;
  const quiet = ["n", "quiet", "silent"].some((option) => read.options.has(option));
  if (name !== "sed" || (quiet && sedDoesOnly(scriptOf(read), "print"))) return null;
  return "sed only prints parts of a file with -n and a script of addresses and p";
}

/** Directories in which it reads every file (§5.6), and those in which it reads what every link leads to. */
function searchesOf(name: string, { options }: ReadWords, files: readonly ShellWord[]): Partial<Uses> {
  const has = (...names: readonly string[]) => names.some((option) => options.has(option));
  const greps = name.endsWith("grep");
  const follows =
    (greps && has("R", "dereference-recursive")) ||
    (name === "rg" && has("L", "follow")) ||
    (name === "zcat" && has("r", "recursive")) ||
    (name === "diff" && !has("no-dereference"));
  const searches =
    (greps && (follows || has("r", "recursive", "d", "directories"))) ||
    (name === "rg" && !has("files", "type-list")) ||
    // Two directories are compared file by file without -r as well.
    name === "diff";
  const named = files.map(({ value }) => value);
  // Without files, rg searches where it runs unless it is given something to read.
  const starts = named.length > 0 || name === "diff" ? named : [name === "rg" ? "" : "."];
  return { searches: searches ? starts : [], follows: follows ? starts : [] };
}

/** Before what only writes words, xargs reads; before anything else it makes options and names of what it is given. */
function xargsUses(words: readonly ShellWord[]): Uses {
  const read = readOptions(words, XARGS());
  const { operands: command } = read;
  const [first] = command;
  const talks = first?.literal && ["echo", "basename", "dirname"].includes(first.value);
  const reads = read.valuesOf("path");
  const bare = talks && words.length === command.length;
  const plain = bare ? null : "xargs makes options and names of what it reads";
  return uses({ plain, reads, candidates: reads, starts: [first ? command : [literalWord("echo")]] });
}

/** Text up to a delimiter. Readers of sed do not agree on a delimiter in brackets, nor on a `]` that begins them. */
const regexp = (end: string) =>
  String.raw`(?:\\[^]|\[\^?(?!${end})[^\]^\\\n](?:(?!${end})[^\]\\\n])*\]|(?!${end})[^\\\n[])*`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${regexp("/")}/[IM]*)`;
const ADDRESSES = String.raw`[\s;]*(?:${ADDRESS}(?:\s*,\s*(?:[+~]\d+|${ADDRESS}))?)?[!\s]*`;
/** A command is over at `;`, a new line, a closing brace or the end. */
const END = String.raw`[ \t]*(?=[;\n}]|$)`;
const change = (letter: string, group: string, flags: string) =>
  String.raw`${letter}([^\s\\])${regexp(group)}${group}(?:\\[^]|(?!${group})[^\\])*${group}${flags}${END}`;
const EDITS = [
  String.raw`[pdDPnNgGhHx=lFz]${END}|[qQ][ \t]*\d*${END}|[btT:][ \t]*[\w.-]*${END}`,
  // Their text goes on over lines that end in a backslash.
  String.raw`[aic](?:[^\\\n]|\\[^])*`,
  change("s", String.raw`\1`, String.raw`[gpiIM\d]*`),
  change("y", String.raw`\2`, ""),
  String.raw`(?<open>\{)|(?<close>\})${END}`,
].join("|");

const STEPS = {
  print: new RegExp(`^${ADDRESSES}p${END}`),
  edit: new RegExp(`^${ADDRESSES}(?:${EDITS})`),
};

/**
 * True if a script only prints by addresses and `p` (§5.6), or only edits its text without files and commands (§5.7).
 * Read to its last letter: what is not understood is no.
 */
function sedDoesOnly(script: string, use: keyof typeof STEPS): boolean {
  let [rest, depth] = [script, 0];
  while (/[^\s;]/.test(rest)) {
    const found = STEPS[use].exec(rest);
    depth += found?.groups?.["open"] ? 1 : found?.groups?.["close"] ? -1 : 0;
    if (found === null || depth < 0) return false;
    rest = rest.slice(found[0].length);
  }
  return depth === 0 && script.trim() !== "";
}
