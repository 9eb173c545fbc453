import { blankCodeBlocks } from "../markdown/blank-code.ts";

/** What an argument takes the place of; `raw` stays if there is no such argument. `position` counts from 0. */
type Placeholder =
  /** All arguments in one line. */
  | { readonly type: "all-arguments"; readonly raw: string }
  | { readonly type: "argument"; readonly position: number; readonly raw: string };

/** A piece of a skill's body: text as it is, or something that is replaced when the skill is loaded. */
export type TemplatePiece =
  | { readonly type: "text"; readonly text: string }
  | Placeholder
  /** A placeholder after a backslash, which is dropped if the placeholder would have been replaced. */
  | { readonly type: "escaped"; readonly of: Placeholder }
  | { readonly type: "variable"; readonly name: string; readonly raw: string }
  /** A command whose output is put here; `written`: as it is in the file. */
  | { readonly type: "command"; readonly written: string; readonly pieces: readonly TemplatePiece[] };

const COMMAND = /(?<=^|[\s([{"'>|:])!`([^`\n]+)`/gm;
const VALUES =
  /\$(?:ARGUMENTS\[(\d{1,2})\]|(ARGUMENTS)\b|(\d)|\{((?:user_config\.)?[A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** Splits a body. Whatever looks like none of this is text. `names`: of arguments, by position. */
export function templatePieces(body: string, names: readonly string[] = []): readonly TemplatePiece[] {
  const listed = [...body.matchAll(VALUES)].flatMap(([, position]) =>
    position === undefined ? [] : [Number(position)],
  );
  const places = argumentPlaces(body, [...names.keys(), ...listed]);
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const { from, to, written } of commandsIn(body)) {
    pieces.push(...valuesIn(body.slice(end, from), names, offsetBy(end, places)));
    const isPlace = (at: number) => written[at - 1] !== "\\" && !isForeign(written, at);
    pieces.push({ type: "command", written, pieces: valuesIn(written, names, isPlace) });
    end = to;
  }
  return [...pieces, ...valuesIn(body.slice(end), names, offsetBy(end, places))];
}

/** Returns the commands of a body as they are written. */
export function findTemplateCommands(body: string): readonly string[] {
  return [...new Set(commandsIn(body).map(({ written }) => written))];
}

interface Command {
  readonly from: number;
  readonly to: number;
  readonly written: string;
}

/** Finds `!` before a code span, and code blocks whose fence ends with it. */
function commandsIn(body: string): readonly Command[] {
  const blocks: Command[] = [];
  let open: { readonly from: number; readonly inner: number } | null = null;
  for (const { index, 0: line } of body.includes("```!") ? body.matchAll(/[^\n]+/g) : []) {
    const to = index + line.length;
    if (open === null && /^[ \t]*```!\r?$/.test(line)) open = { from: index, inner: to + 1 };
    else if (open !== null && /^[ \t]*```[ \t]*\r?$/.test(line)) {
      const written = body.slice(open.inner, index).trim();
      if (written !== "") blocks.push({ from: open.from, to, written });
      open = null;
    }
  }
  const spans = [...body.matchAll(COMMAND)].map(({ index, 0: whole, 1: inner = "" }) => ({
    ...{ from: index, to: index + whole.length, written: inner.trim() },
  }));
  const all = [...blocks, ...spans].sort((one, other) => one.from - other.from);
  let end = 0;
  return all.filter(({ from, to }) => {
    if (from < end) return false;
    end = to;
    return true;
  });
}

/** True if `$1` at this position stands for an argument. */
type IsPlace = (at: number) => boolean;

function offsetBy(offset: number, places: ReadonlySet<number>): IsPlace {
  return (at) => places.has(offset + at);
}

function valuesIn(text: string, names: readonly string[], isPlace: IsPlace): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(VALUES)) {
    const piece = pieceOf(match, names, isPlace);
    if (piece === null) continue;
    const { index, 0: whole } = match;
    const isEscaped =
      piece.type !== "variable" && text[index - 1] === "\\" && text[index - 2] !== "\\" && index > end;
    pieces.push(
      { type: "text", text: text.slice(end, isEscaped ? index - 1 : index) },
      isEscaped ? { type: "escaped", of: piece } : piece,
    );
    end = index + whole.length;
  }
  pieces.push({ type: "text", text: text.slice(end) });
  return pieces.filter((piece) => piece.type !== "text" || piece.text !== "");
}

function pieceOf(
  { index, 0: raw, 1: listed, 2: all, 3: digit, 4: braced, 5: word }: RegExpExecArray,
  names: readonly string[],
  isPlace: IsPlace,
): Placeholder | Extract<TemplatePiece, { type: "variable" }> | null {
  if (all !== undefined || braced === "ARGUMENTS") return { type: "all-arguments", raw };
  if (listed !== undefined) return { type: "argument", position: Number(listed), raw };
  if (digit !== undefined) return isPlace(index) ? { type: "argument", position: Number(digit), raw } : null;
  const position = names.indexOf(braced ?? word ?? "");
  if (position >= 0) return { type: "argument", position, raw };
  // Without braces it is a shell variable.
  return braced === undefined ? null : { type: "variable", name: braced, raw };
}

/** Splits a line as a shell would: at spaces, but not in quotes. A quote without its other half is a letter. */
export function argumentsIn(line: string): readonly string[] {
  const parts = line.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s]))|(\s+)/gs);
  const found: string[] = [];
  let word: string | null = null;
  for (const [, double, single, escaped, plain, space] of parts) {
    if (space !== undefined) {
      if (word !== null) found.push(word);
      word = null;
    } else word = `${word ?? ""}${double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? ""}`;
  }
  return word === null ? found : [...found, word];
}

/** Characters of a line that are looked at on either side of a `$`. */
const NEAR = 300;
/** More of them are a table of prices, or no text at all. */
const MAX_PLACES = 1_000;

const UNIT =
  "(?:second|minute|hour|day|week|month|year|quarter|user|seat|person|request|call|token|unit|item|image|page|run|task|mo|yr|hr|GB|MB|TB|M|K)";
/** What follows the digit of an amount of money, or of a formula in `$…$`. */
const MONEY = new RegExp(
  [
    String.raw`^(?:\w|[.,]\d|[+%]|[-–—]\d)`,
    String.raw`^ ?(?:\/|(?:an?|per|each|every) ) ?${UNIT}s?\b`,
    String.raw`^ (?:USD|EUR|dollars?|cents?|bucks?|thousand|million|billion|each)\b`,
    String.raw`^[^$\n]*[^\s$\\]\$(?![\w{])`,
  ].join("|"),
);

/** What comes before a `$1` in its line, and what after. */
type Surroundings = readonly [before: RegExp, after: RegExp];

/** Programs in which `$1` means something else, also as a part of a command. */
const PROGRAMS: readonly Surroundings[] = [
  [/\b(?:[gmn]?awk|perl|ruby|sed|jq|psql|(?:ba|da|z)?sh\s+-\w*c)\b[^'|;&]*\s'[^']*$/, /^/],
  [/\{[^{}]*$/, /^[^{}]*(?:;|\+\+|\+=)[^{}]*\}/],
  [/replace\w*\(|\bg?sub\(|(?:^|[\s'"])s\/\S*\/[^/\s]*$/, /^/],
];
/** Scripts in the text: of a shell, a web server, a database. A command has no positions except those of its skill. */
const SCRIPTS: readonly Surroundings[] = [
  [/\$\([^()]*$/, /^/],
  [/^\s*(?:local|export|readonly|declare|typeset)\s[^=]*=\S*$/, /^/],
  [/^\s*(?:case|echo|printf)\s+["'][^"']*$/, /^/],
  // In quotes it is a script's; `git checkout $0 && make` is what a user asks for.
  [/(?:&&|\|\|).*"$/, /^"/],
  [/"$/, /^".*(?:&&|\|\|)/],
  [/^/, /;\s*(?:done|fi|esac)\b/],
  [/^\s*rewrite\w*\s+\S*\^/i, /^/],
  [
    /\b(?:SELECT|WHERE|VALUES|SET|LIMIT|OFFSET)\b.*(?:[=(,<>]|LIMIT|OFFSET|LIKE)\s*$|\b(?:LIMIT|OFFSET)\s*$/,
    /^/,
  ],
];

const FOREIGN = [...PROGRAMS, ...SCRIPTS];

/** True if the `$` at this position of a command belongs to a program in it. */
export function isForeign(text: string, at: number, all: readonly Surroundings[] = PROGRAMS): boolean {
  const before = text.slice(Math.max(0, at - NEAR), at).replace(/[\s\S]*[\r\n]/, "");
  const [after = ""] = text.slice(at + 2, at + NEAR).split(/[\r\n]/, 1);
  return all.some(([left, right]) => left.test(before) && right.test(after));
}

/**
 * Returns where `$0` to `$9` stand for arguments: outside of code blocks and programs, counted upwards from `$0` or `$1`
 * without a gap, and not in amounts of money. `others`: positions that the text has in another form.
 */
export function argumentPlaces(body: string, others: readonly number[]): ReadonlySet<number> {
  const text = blankCodeBlocks(body);
  const found = new Map<number, number>();
  const candidates = [...text.matchAll(/\$\d/g)];
  if (candidates.length > MAX_PLACES) return new Set();
  const isMoney = (at: number) =>
    /[A-Z$]/.test(body[at - 1] ?? "") || MONEY.test(body.slice(at + 2, at + NEAR));
  const hasMoney = candidates.some(({ index }) => isMoney(index));
  for (const { index: at, 0: raw } of candidates) {
    // Next to `$5.00`, a cell with `$1` is an amount too.
    const isPrice = isMoney(at) || (hasMoney && isInTable(body, at));
    if (!isPrice && !isForeign(body, at, FOREIGN)) found.set(at, Number(raw.slice(1)));
  }
  const positions = new Set([...found.values(), ...others]);
  let end = positions.has(0) ? 0 : 1;
  while (positions.has(end)) end += 1;
  return new Set([...found].filter(([, position]) => position < end).map(([at]) => at));
}

function isInTable(text: string, at: number): boolean {
  return /(?:^|[\r\n])[ \t]*\|[^\r\n]*$/.test(text.slice(Math.max(0, at - NEAR), at));
}
