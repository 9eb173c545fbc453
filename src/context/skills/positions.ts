import { blankCodeBlocks } from "../markdown/blank-code.ts";

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
