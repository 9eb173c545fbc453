import { gitReads } from "./git-read-only.ts";
import { looksLikePath, optionForm, readOptions } from "./options.ts";
import { readOnlyForms } from "./read-only-table.ts";
import type { LoopNames } from "./script.ts";
import { sedDoesOnly } from "./sed-script.ts";
import { printfSets, testUses } from "./tests.ts";
import { refuse, type Uses } from "./uses.ts";
import type { Piece, ShellWord } from "./words.ts";

/** Their operands are text, and what may expand in them may do so harmlessly (§5.6). */
const TALKERS: ReadonlySet<string> = new Set(["echo", "printf", "test", "["]);
/** A file could be named like one of their options. */
const NO_GLOBS: ReadonlySet<string> = new Set([
  "find",
  "sort",
  "sed",
  "git",
  "uniq",
  "xxd",
  "date",
  "hostname",
  "cd",
]);
const TEXT_ONLY: ReadonlySet<string> = new Set(
  [...readOnlyForms].filter(([, { operands }]) => operands === "text").map(([name]) => name),
);

export interface ReadOnlyUses extends Uses {
  /** Words in which bash looks for files, with what stands before the first wildcard. */
  readonly globs: readonly string[];
}

/**
 * Whether a command with its words is in the read-only set (§5.6); null where its name is not. Wrappers are
 * gone already; `cd` is decided where the working directory is known.
 */
export function readOnlyUses(words: readonly ShellWord[], loopNames: LoopNames): ReadOnlyUses | null {
  const [command, ...rest] = words;
  if (!command?.literal) return null;
  const found = usesOf(command.value, rest, loopNames);
  if (found === null) return null;
  const globs = rest.filter((word) => word.pieces.some(({ type }) => type === "glob"));
  const why = found.why ?? whyUnknown(command.value, rest, loopNames) ?? whyGlob(command.value, globs);
  const prefixes = globs.map(({ pieces }) => textBefore(pieces));
  // What a glob will find is in the folder that stands before it; a deny rule sees both.
  return { ...found, why, globs: prefixes };
}

/** Whether the operands of the command are text, so that a path in one is none. */
export function takesText(name: string): boolean {
  return TEXT_ONLY.has(name) || TALKERS.has(name);
}

function usesOf(name: string, words: readonly ShellWord[], loopNames: LoopNames): Uses | null {
  switch (name) {
    case "git":
      return gitReads(words);
    case "find":
      return findReads(words);
    case "sed":
      return sedReads(words);
    case "xxd":
      return xxdReads(words);
    case "printf":
      return printfSets(words, loopNames) ? refuse("printf -v sets a variable") : text();
    case "test":
    case "[":
      return testUses(name === "[" ? words.slice(0, -1) : words, loopNames);
    case "command":
      return /^-[vV]+$/.test(words[0]?.value ?? "") ? text() : null;
    case "strings":
      if (words.some(({ value }) => value.startsWith("@")))
        return refuse("strings takes more options from a file");
      break;
    case "hostname":
      if (
        !words.every(({ value }) =>
          /^(?:-[aAdfiIsy]+|--(?:alias|all-fqdns|all-ip-addresses|domain|fqdn|long|ip-address|short|yp|nis))$/.test(
            value,
          ),
        )
      )
        return refuse("hostname would set the machine's name");
      break;
    case "date":
      if (readOptions(words, DATE).operands.some(({ value }) => !value.startsWith("+")))
        return refuse("date would set the clock");
      return fromTable(
        name,
        words.filter(({ value }) => !value.startsWith("+")),
      );
    default:
  }
  return fromTable(name, words);
}

const DATE = readOnlyForms.get("date")?.options ?? optionForm("");

function fromTable(name: string, words: readonly ShellWord[]): Uses | null {
  const form = readOnlyForms.get(name);
  if (!form) return null;
  if (form.operands === "text") return text();
  const { refused, operands, files, unknown, options } = readOptions(words, form.options);
  const patternGiven = form.patternless.some((option) => options.has(option));
  const values = operands.map(({ value }) => value).filter((value) => value !== "-");
  const named = form.operands === "pattern" && !patternGiven ? values.slice(1) : values;
  const reads = [...named, ...files, ...unknown.filter(looksLikePath)];
  if (refused) return refuse(`${name} ${refused} may write a file or run a program`, reads);
  if (form.operands === "one file" && operands.length > 1)
    return refuse(`${name} writes its second file`, reads);
  if (form.operands === "none" && operands.length > 0)
    return refuse(`${name} with an operand changes something`, reads);
  return { why: null, reads, writes: [] };
}

const FIND_ACTS = /^-(?:exec|execdir|ok|okdir|delete|fls|fprint|fprint0|fprintf|files0-from)$/;
/** Tests whose value is a pattern, a number or a time. */
const FIND_TEXT =
  /^-(?:name|iname|path|ipath|wholename|iwholename|regex|iregex|lname|ilname|printf|perm|newermt|newerat|newerct|type|xtype|size|mtime|mmin|atime|amin|ctime|cmin|user|group|uid|gid|maxdepth|mindepth|regextype|fstype|links|inum|used)$/;

export function findActs(value: string): boolean {
  return FIND_ACTS.test(value) || value.startsWith("-fprint");
}

function findReads(words: readonly ShellWord[]): Uses {
  const reads: string[] = [];
  // It takes the next word, so that one which looks like a test is none: `find -D -name -delete`.
  let why: string | null = words.some(({ value }) => value === "-D") ? "find -D is not needed to read" : null;
  for (let at = 0; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (findActs(value)) why ??= `find ${value} writes, deletes or runs something`;
    if (FIND_TEXT.test(value)) at += 1;
    else if (!/^[-(),!]/.test(value)) reads.push(value);
  }
  return why === null ? { why, reads, writes: [] } : refuse(why, reads);
}

const SED_FLAGS =
  /^(?:-[nErusz]|--(?:quiet|silent|regexp-extended|unbuffered|separate|null-data|posix|debug|sandbox))$/;

function sedReads(words: readonly ShellWord[]): Uses {
  const read = readSed(words);
  if (read.why !== null) return refuse(read.why, read.files);
  const quiet = ["-n", "--quiet", "--silent"].some((option) => read.options.has(option));
  if (!quiet || read.options.has("-i")) return refuse("sed is read-only only with -n", read.files);
  if (!sedDoesOnly(read.script, "print")) return refuse("its sed script does more than print", read.files);
  return { why: null, reads: read.files, writes: [] };
}

/** Script, files and options of sed; `-i` takes the rest of its cluster as the ending of a backup. */
export function readSed(words: readonly ShellWord[]): {
  readonly why: string | null;
  readonly script: string;
  readonly files: readonly string[];
  readonly options: ReadonlySet<string>;
} {
  const options = new Set<string>();
  const scripts: string[] = [];
  const operands: string[] = [];
  let why: string | null = null;
  const values = words.map(({ value }) => value);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? "";
    if (value === "--") {
      operands.push(...values.slice(at + 1));
      break;
    }
    if (value === "-" || !value.startsWith("-")) {
      operands.push(value);
      continue;
    }
    const script = /^(?:-[nErusz]*e|--expression(?:$|=))/s.exec(value);
    const backup = /^(?:-[nErusz]*i|--in-place(?:$|=))([\w.-]*)$/.exec(value);
    if (script) {
      const glued = value.slice(script[0].length);
      if (glued !== "" || value.endsWith("=")) scripts.push(glued);
      else scripts.push(values[++at] ?? "");
    } else if (!backup && !/^-[nErusz]+$/.test(value) && !SED_FLAGS.test(value)) {
      why ??= `sed ${value} is not one of its harmless options`;
    }
    const cluster = value.startsWith("--")
      ? [value.replace(/=.*/s, "")]
      : (/^-([nErusz]*)/.exec(value)?.[1] ?? "").split("").map((letter) => `-${letter}`);
    for (const option of cluster) options.add(option);
    if (backup) options.add("-i");
  }
  const given = scripts.length > 0;
  const script = given ? scripts.join("\n") : (operands[0] ?? "");
  return { why, script, files: given ? operands : operands.slice(1), options };
}

const XXD_VALUES = /^--?(?:c|cols|g|groupsize|l|len|s|seek|skip|o|offset|n|name|R)$/;

function xxdReads(words: readonly ShellWord[]): Uses {
  const reads: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (/^--?[abceipuCE]*r/.test(value)) return refuse("xxd -r writes", reads);
    if (XXD_VALUES.test(value)) at += 1;
    else if (value === "-" || !value.startsWith("-")) reads.push(value);
  }
  return reads.length > 1 ? refuse("xxd writes its second file", reads) : { why: null, reads, writes: [] };
}

function text(): Uses {
  return { why: null, reads: [], writes: [] };
}

function whyUnknown(name: string, words: readonly ShellWord[], loopNames: LoopNames): string | null {
  for (const { pieces, raw } of words) {
    for (const piece of pieces) {
      if (isKnown(piece, name, loopNames)) continue;
      return `${raw} is not known before it runs`;
    }
  }
  return null;
}

function isKnown(piece: Piece, name: string, loopNames: LoopNames): boolean {
  switch (piece.type) {
    case "text":
    case "glob":
      return true;
    case "tilde":
      // Of oneself; another person's home, or the folder before, is not known here.
      return piece.text === "~" || takesText(name);
    case "number":
    case "substitution":
      return TALKERS.has(name);
    case "variable":
      return TALKERS.has(name) && loopNames.has(piece.name);
    case "brace":
    case "sum":
    case "forbidden":
      return false;
    default:
      return piece satisfies never;
  }
}

function whyGlob(name: string, words: readonly ShellWord[]): string | null {
  for (const { pieces, raw } of words) {
    if (NO_GLOBS.has(name))
      return `a file could be named like an option of ${name}, and ${raw} would find it`;
    const before = textBefore(pieces);
    if (/^[/~]/.test(before) || pieces[0]?.type === "tilde") return `${raw} looks for files outside`;
    if (before.startsWith("-") && !before.includes("=")) return `${raw} may become any option`;
  }
  return null;
}

/** What stands before the first wildcard of a word. */
export function textBefore(pieces: readonly Piece[]): string {
  const end = pieces.findIndex(({ type }) => type === "glob");
  return pieces
    .slice(0, end < 0 ? undefined : end)
    .map(({ text }) => text)
    .join("");
}
