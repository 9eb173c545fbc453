import { lazy } from "../../lib/lazy.ts";
import { readOptions } from "./read-options.ts";
import { readRow } from "./rows.ts";
import { literalWord, type ShellWord } from "./script.ts";
import { looksLikePath, pathsAmong, refuseUse, type Uses, uses } from "./uses.ts";

/** Tests and actions of find by their names, in the notation of `rows.ts`. */
const ROW = lazy(() =>
  readRow(
    "F /name:R /iname:R /path:R /ipath:R /regex:R /iregex:R /type: /size: /empty /mtime: /mmin: /ctime: /atime: /newer:P /perm:R /user: /group: /maxdepth:N /mindepth:N /printf: /print /print0 /ls /prune /not /a /o /and /or | /wholename:R /iwholename:R /lname:R /ilname:R /amin: /cmin: /anewer:P /cnewer:P /newermt: /newerct: /newerat: /samefile:P /fstype: /gid: /uid: /inum: /links: /used: /xtype: /regextype: /context: /daystart /depth /d /follow /ignore_readdir_race /mount /xdev /noleaf /nouser /nogroup /readable /writable /executable /true /false /quit /delete! /exec:X /execdir:X /ok:X /okdir:X /fls:W /fprint:W /fprint0:W /fprintf:W /files0-from!",
  ),
);
const ACTIONS = lazy(() =>
  [...ROW().longs].flatMap(([name, { kind }]) =>
    ["acts", "write", "program"].includes(kind) ? [`-${name}`] : [],
  ),
);

/** Returns what find reads and starts. The words are those after its name. */
export function findUses(words: readonly ShellWord[]): Uses {
  const { found } = findRoots(words);
  const starts = startedBy(words);
  const apart = new Set([...found, ...starts.flat()]);
  const read = readOptions(words.filter((word) => !apart.has(word)).map(dashed), ROW());
  const { acting, misfit, operands, values } = read;
  const odd = operands.filter(({ value }) => !/^[()!;+]$/.test(value));
  const links = words.some(({ value }) => /^-(?:[LH]|follow)$/.test(value));
  const paths = [...found, ...read.valuesOf("path")];
  const some = {
    reads: [...paths, ...odd.filter(({ value }) => looksLikePath(value)), ...pathsAmong(read)],
    // What it starts is given the files of the names that it looks for.
    candidates: [...paths, ...odd, ...read.glued, ...(starts.length > 0 ? read.valuesOf("pattern") : [])],
    follows: links ? found.map(({ value }) => value) : [],
    starts,
  };
  const asks = words.find(({ value }) => /^-(?:D|ok|files0)/.test(value));
  if (asks) return refuseUse(`find ${asks.value} does more than search`, some);
  if (acting[0] !== undefined) return refuseUse(`find ${acting[0].slice(1)} writes or removes files`, some);
  const unknown = [...odd, ...values.map(({ word }) => word).filter(({ literal }) => !literal)][0];
  const plain =
    (starts.length > 0 ? "find -exec starts a command" : null) ??
    misfit?.replace("--", "-") ??
    (unknown ? `${unknown.raw} is not a test that is known only to search` : null);
  return uses({ ...some, plain });
}

/** find's tests are long names with one dash; nothing ends them. */
function dashed(word: ShellWord): ShellWord {
  return word.value.startsWith("-") ? { ...word, value: `-${word.value}` } : word;
}

/** The commands behind `-exec`, wherever it stands, up to its `;` or `+`. */
function startedBy(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  return words.flatMap(({ value }, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(value)) return [];
    const rest = words.slice(at + 1);
    const end = rest.findIndex((one) => one.value === ";" || one.value === "+");
    return [end < 0 ? rest : rest.slice(0, end)];
  });
}

/** Returns what find starts, with the directories that it may be given (§5.5). */
export function findCommands(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const { found } = findRoots(words);
  return startedBy(words).map((one) => one.flatMap((word) => (word.value === "{}" ? found : [word])));
}

/** True if a word is, or may turn out to be, what runs, removes or writes. */
export function mayBeAction({ literal, value, pieces }: ShellWord): boolean {
  if (literal) return /^-fprint/.test(value) || ACTIONS().includes(value);
  if (!pieces.every(({ type }) => type === "text" || type === "glob")) return true;
  // A wildcard finds files, and a file may have an action's name.
  const text = pieces.map((piece) => (piece.type === "glob" ? "*" : piece.text)).join("");
  const [start, end] = [text.replace(/\*.*$/s, ""), text.replace(/^.*\*/s, "")];
  return ACTIONS().some((action) => action.startsWith(start) && action.endsWith(end));
}

/** Returns where find begins, and whether it acts only on some of what it finds. */
export function findRoots(words: readonly ShellWord[]): { found: readonly ShellWord[]; filtered: boolean } {
  const options = words.findIndex(({ value }) => !/^-(?:[HLP]|O\d|D)$/.test(value));
  const from = options < 0 ? [] : words.slice(options);
  const end = from.findIndex(({ value, literal }) => literal && /^[-(!]/.test(value));
  const roots = (end < 0 ? from : from.slice(0, end)).filter(({ value }) => value !== "--");
  const values = words.map(({ value }) => value);
  const filtered =
    !values.some((value) => /^(?:-or?|,|!|-not)$/.test(value)) &&
    values.some(
      (value, at) => /^-i?(?:name|path|wholename|regex)$/.test(value) && /[^*?.]/.test(values[at + 1] ?? ""),
    );
  return { found: roots.length > 0 ? roots : [literalWord(".")], filtered };
}
