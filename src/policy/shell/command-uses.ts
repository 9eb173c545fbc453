import { commandTable, versionPrograms } from "./command-table.ts";
import { findUses } from "./find.ts";
import { gitUses } from "./git-uses.ts";
import { isNumber, type ReadWords, readOptions } from "./read-options.ts";
import type { Row } from "./rows.ts";
import { sedDoesOnly } from "./sed-script.ts";
import { printfUses, testUses } from "./tests.ts";
import { looksLikePath, pathsAmong, refuse, type Uses, uses } from "./uses.ts";
import { literalWord, type ShellWord } from "./words.ts";
import { readXargs } from "./wrappers.ts";

/** What a command reads and whether that is all it does; null: no row describes it. The words begin with its name. */
export function readingUses(words: readonly ShellWord[]): Uses | null {
  const [command, ...rest] = words;
  if (!command?.literal) return null;
  const name = command.value;
  if (
    versionPrograms.has(name) &&
    rest.length === 1 &&
    /^(?:--version|-V|-v|version)$/.test(rest[0]?.value ?? "")
  )
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
      return /^-[vV]+$/.test(rest[0]?.value ?? "") ? uses({}) : null;
    case "xargs":
      return xargsUses(rest);
    default: {
      const row = commandTable.get(name);
      return row === undefined ? null : rowUses(name, rest, row);
    }
  }
}

function rowUses(name: string, words: readonly ShellWord[], row: Row): Uses {
  const read = readOptions(words, row);
  const files = read.values
    .filter(({ option }) => option.kind === "path" || option.kind === "names")
    .map(({ word }) => word);
  const written = read.values.filter(({ option }) => option.kind === "write").map(({ word }) => word);
  const values = read.values.filter(({ option }) => option.kind !== "pattern").map(({ word }) => word);
  const { operands } = read;
  // `-` is what it is given to read, unless it is the pattern.
  const named = namedFiles(row, read, operands).filter(({ value }) => value !== "-");
  const paths = row.operands === "none" ? operands.filter(({ value }) => looksLikePath(value)) : named;
  const found: Partial<Uses> = {
    reads: [...paths, ...files, ...pathsAmong(read)],
    // Where options are not told apart from operands, each word may name a file.
    candidates: [
      ...(read.understood || row.operands === "text" ? named : operands),
      ...values,
      ...read.glued,
    ],
    writes: written,
    ...searchesOf(name, read, named),
    ...(startsPrograms(name, read) ? { contents: { paths: null, below: true } } : {}),
  };
  const wraps = name === "env" && read.misfit !== null ? "env with options may start a command" : null;
  const acts = read.acts ?? wraps ?? operandProblem(name, row, read);
  if (acts !== null) return refuse(acts.startsWith(name) ? acts : `${name}: ${acts}`, found);
  const misfit = read.misfit ?? misfitOf(name, row, read);
  const plain = misfit ?? (row.confinedOnly ? `${name} is not plain reading` : null);
  return uses({ ...found, plain });
}

function namedFiles(
  { operands: kind }: Row,
  { options }: ReadWords,
  operands: readonly ShellWord[],
): readonly ShellWord[] {
  switch (kind) {
    case "text":
    case "numbers":
    case "none":
      return [];
    case "files":
    case "one":
      return operands.flatMap(withAssigned);
    case "pattern":
    case "script":
      return (options.has("*") ? operands : operands.slice(1)).flatMap(withAssigned);
    default:
      return kind satisfies never;
  }
}

/** An operand such as awk's `name=value` names what follows the `=`, too. */
function withAssigned(word: ShellWord): readonly ShellWord[] {
  const equals = word.value.indexOf("=");
  const behind = equals < 0 ? "" : word.value.slice(equals + 1);
  return looksLikePath(behind) ? [word, literalWord(behind)] : [word];
}

/** What its operands would write or change. */
function operandProblem(name: string, row: Row, { operands }: ReadWords): string | null {
  switch (row.operands) {
    case "one":
      return operands.length > 1 ? `${name} writes its second file` : null;
    case "none": {
      if (name === "date") {
        const odd = operands.find(({ value }) => !value.startsWith("+"));
        return odd ? "date would set the clock" : null;
      }
      return operands.length > 0 ? `${name} with an operand does more than show` : null;
    }
    default:
      return name === "strings" && operands.some(({ value }) => value.startsWith("@"))
        ? "strings takes more options from a file"
        : null;
  }
}

/** Whether a script may start a program, such as a git that shows what a rule denies. */
function startsPrograms(name: string, { operands, options, values }: ReadWords): boolean {
  if (name !== "awk" && name !== "sed") return false;
  if (options.has("f") || options.has("file") || options.has("E")) return true;
  const given = values.filter(({ option }) => option.replacesFirst).map(({ word }) => word);
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  return scripts.some(
    ({ literal, value }) =>
      !literal || (name === "sed" ? !sedDoesOnly(value, "edit") : /system|@|(?<!\|)\|(?!\|)/.test(value)),
  );
}

/** What keeps known options and operands from being plain reading. */
function misfitOf(name: string, row: Row, { operands, options, values }: ReadWords): string | null {
  if (row.operands === "numbers") {
    const odd = operands.find(({ value }) => !isNumber(value));
    if (odd) return `"${odd.value}" is not a number`;
  }
  if (name !== "sed") return null;
  if (!["n", "quiet", "silent"].some((option) => options.has(option)))
    return "sed only prints parts of a file with -n";
  const given = values.filter(({ option }) => option.replacesFirst).map(({ word }) => word.value);
  const script = given.length > 0 ? given.join("\n") : (operands[0]?.value ?? "");
  return sedDoesOnly(script, "print") ? null : "its sed script does more than print";
}

/** Options with which a command reads what every link leads to. */
const FOLLOWING: Readonly<Record<string, string>> = {
  grep: "R dereference-recursive",
  egrep: "R dereference-recursive",
  fgrep: "R dereference-recursive",
  rg: "L follow",
  zcat: "r recursive",
};

/** Directories in which it reads every file (§5.6), and those in which it follows links. */
function searchesOf(name: string, { options }: ReadWords, files: readonly ShellWord[]): Partial<Uses> {
  const named = files.map(({ value }) => value);
  const here = named.length > 0 ? named : ["."];
  const has = (...names: readonly string[]) => names.some((option) => options.has(option));
  const follows = has(...(FOLLOWING[name] ?? "").split(" ")) ? here : [];
  if (name === "rg")
    return has("files", "type-list") ? { follows } : { searches: named.length > 0 ? named : [""], follows };
  if (/^[ef]?grep$/.test(name)) {
    const all = has("r", "recursive", "R", "d", "dereference-recursive", "directories");
    return all ? { searches: here, follows } : { follows };
  }
  // Two directories are compared file by file without -r as well.
  if (name === "diff") return { searches: named, follows: has("no-dereference") ? [] : named };
  return { follows };
}

/** Before what only writes words, xargs reads; before anything else it makes options and names of what it is given. */
function xargsUses(words: readonly ShellWord[]): Uses {
  const { options, command, reads } = readXargs(words);
  const [name] = command;
  const talks = name?.literal === true && ["echo", "basename", "dirname"].includes(name.value);
  const given = command.length === 0 ? [literalWord("echo")] : command;
  const plain = !talks || options ? "xargs makes options and names of what it reads" : null;
  return uses({ plain, reads, candidates: reads, starts: [given] });
}
