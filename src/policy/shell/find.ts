import { type Row, readRow } from "./rows.ts";
import { looksLikePath, refuse, type Uses, uses } from "./uses.ts";
import { literalWord, type ShellWord } from "./words.ts";

/** Tests and actions of find by their names, in the notation of `rows.ts`. */
const ROW: Row = readRow(
  "F /name:R /iname:R /path:R /ipath:R /regex:R /iregex:R /type: /size: /empty /mtime: /mmin: /ctime: /atime: /newer:P /perm:R /user: /group: /maxdepth:N /mindepth:N /printf: /print /print0 /ls /prune /not /a /o /and /or | /wholename:R /iwholename:R /lname:R /ilname:R /amin: /cmin: /anewer:P /cnewer:P /newermt: /newerct: /newerat: /samefile:P /fstype: /gid: /uid: /inum: /links: /used: /xtype: /regextype: /context: /daystart /depth /d /follow /ignore_readdir_race /mount /xdev /noleaf /nouser /nogroup /readable /writable /executable /true /false /quit /delete! /exec:X /execdir:X /ok:X /okdir:X /fls:W /fprint:W /fprint0:W /fprintf:W /files0-from:E",
);
const ACTIONS = [...ROW.longs].flatMap(([name, { kind }]) =>
  ["acts", "write", "names", "program"].includes(kind) ? [`-${name}`] : [],
);

/** What find reads and starts. The words are those after its name. */
export function findUses(words: readonly ShellWord[]): Uses {
  const { found } = findRoots(words);
  const reads: ShellWord[] = [...found];
  const candidates: ShellWord[] = [...found];
  const names: ShellWord[] = [];
  const starts: (readonly ShellWord[])[] = [];
  let plain: string | null = null;
  let acts: string | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const value = word?.value ?? "";
    if (!word || found.includes(word) || /^[()!,]$/.test(value)) {
      if (value === ",") plain ??= "find has a list of expressions";
      continue;
    }
    if (value.startsWith("-D")) acts ??= "find -D takes the next word as its value";
    const option = value.startsWith("-") ? ROW.longs.get(value.slice(1)) : undefined;
    if (option === undefined) {
      plain ??= `${value} is not a test that is known only to search`;
      if (!word.literal) plain ??= `${word.raw} may become an action of find`;
      candidates.push(word);
      if (looksLikePath(value)) reads.push(word);
      continue;
    }
    const more = option.kind === "program" ? "starts a command" : "does more than search";
    if (!option.plain) plain ??= `find ${value} ${more}`;
    if (option.kind === "program") {
      starts.push(commandAt(words, at));
      if (value.startsWith("-ok")) acts ??= `find ${value} waits for an answer`;
      at += commandAt(words, at).length + 1;
      continue;
    }
    if (option.kind === "acts" || option.kind === "write") acts ??= `find ${value} writes or removes files`;
    if (option.kind === "names") acts ??= `find ${value} takes names from elsewhere`;
    if (option.kind === "flag" || option.kind === "acts") continue;
    at += 1;
    const next = words[at];
    if (next?.literal === false) plain ??= `${next.raw} is not one known value`;
    if (next === undefined) plain ??= `find ${value} lacks its value`;
    else if (option.kind === "path") {
      reads.push(next);
      candidates.push(next);
    } else if (option.kind === "pattern") names.push(next);
    else if (looksLikePath(next.value)) reads.push(next);
  }
  // What it starts is given the files of these names.
  if (starts.length > 0) candidates.push(...names);
  const links = words.some(({ value }) => /^-(?:[LH]|follow)$/.test(value));
  const follows = links ? found.map(({ value }) => value) : [];
  if (acts !== null) return refuse(acts, { reads, candidates, starts });
  return uses({ plain, reads, candidates, starts, follows });
}

/** The command behind `-exec`, up to its `;` or `+`. */
function commandAt(words: readonly ShellWord[], at: number): readonly ShellWord[] {
  const rest = words.slice(at + 1);
  const end = rest.findIndex(({ value }) => value === ";" || value === "+");
  return end < 0 ? rest : rest.slice(0, end);
}

/** What find starts, wherever it stands, with the directories that it may be given (§5.5). */
export function findCommands(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const { found } = findRoots(words);
  const starts = words.flatMap(({ value }, at) => (/^-(?:exec|ok)(?:dir)?$/.test(value) ? [at] : []));
  return starts.map((at) => commandAt(words, at).flatMap((word) => (word.value === "{}" ? found : [word])));
}

/** Whether a word is, or may turn out to be, what runs, removes or writes. */
export function mayBeAction({ literal, value, pieces }: ShellWord): boolean {
  if (literal) return /^-fprint/.test(value) || ACTIONS.includes(value);
  if (!pieces.every(({ type }) => type === "text" || type === "glob")) return true;
  // A wildcard finds files, and a file may have an action's name.
  const texts = pieces
    .map(({ type, text }) => (type === "glob" ? "*" : text))
    .join("")
    .split("*");
  const [start = "", end = ""] = [texts.at(0), texts.at(-1)];
  return ACTIONS.some((action) => action.startsWith(start) && action.endsWith(end));
}

/** Where find begins, and whether it acts only on some of what it finds. */
export function findRoots(words: readonly ShellWord[]): {
  readonly found: readonly ShellWord[];
  readonly filtered: boolean;
} {
  const options = words.findIndex(({ value }) => !/^-(?:[HLP]|O\d|D)$/.test(value));
  const from = options < 0 ? [] : words.slice(options);
  const end = from.findIndex(({ value, literal }) => literal && /^[-(!]/.test(value));
  const roots = (end < 0 ? from : from.slice(0, end)).filter(({ value }) => value !== "--");
  const values = words.map(({ value }) => value);
  const filtered =
    values.some(
      (value, at) =>
        /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(value) && /[^*?.]/.test(values[at + 1] ?? ""),
    ) &&
    !values.some(
      (value) => value === "-o" || value === "-or" || value === "," || value === "!" || value === "-not",
    );
  return { found: roots.length > 0 ? roots : [literalWord(".")], filtered };
}
