import { type Buffer, endOfRun, isBlank, lineEnd, lineStart, type Units, wordKind } from "./motions.ts";

/** A part of a text: its first character, and the one behind its last. */
export type TextSpan = readonly [from: number, to: number];

/** Pairs by every key that names them. */
const BRACKETS: ReadonlyMap<string, readonly [string, string]> = new Map(
  ["()b", "[]", "{}B", "<>"].flatMap((names) =>
    [...names].map((name) => [name, [names[0] ?? "", names[1] ?? ""]] as const),
  ),
);
const QUOTES = "\"'`";

export function isTextObject(name: string): boolean {
  return name === "w" || name === "W" || QUOTES.includes(name) || BRACKETS.has(name);
}

/** Returns what `i` or `a` and this name mean at the cursor, or null. */
export function textObject(buffer: Buffer, name: string, isAround: boolean, count: number): TextSpan | null {
  if (buffer.units.length === 0) return null;
  const pair = BRACKETS.get(name);
  if (pair) return inBrackets(buffer, pair, isAround, count);
  return QUOTES.includes(name)
    ? inQuotes(buffer, name, isAround)
    : words(buffer, name === "W", isAround, count);
}

function words({ units, at }: Buffer, isBig: boolean, isAround: boolean, count: number): TextSpan | null {
  const [start, end] = [lineStart(units, at), lineEnd(units, at)];
  if (start === end) return null;
  const kind = wordKind(units[at], isBig);
  let from = at;
  while (from > start && wordKind(units[from - 1], isBig) === kind) from -= 1;
  let to = at;
  const takeRun = (): void => {
    if (to < end) to = Math.min(end, endOfRun(units, to, isBig) + 1);
  };
  for (let left = count; left > 0; left--) {
    takeRun();
    if (isAround) takeRun();
  }
  // A last word takes the blanks before it.
  if (isAround && kind !== "blank" && !isBlank(units[to - 1]))
    while (from > start && isBlank(units[from - 1])) from -= 1;
  return [from, to];
}

function inQuotes({ units, at }: Buffer, quote: string, isAround: boolean): TextSpan | null {
  const end = lineEnd(units, at);
  const marks: number[] = [];
  for (let place = lineStart(units, at); place < end; place++) {
    if (units[place] === "\\") place += 1;
    else if (units[place] === quote) marks.push(place);
  }
  for (let pair = 0; pair + 1 < marks.length; pair += 2) {
    const [open = 0, close = 0] = marks.slice(pair);
    if (close < at) continue;
    if (!isAround) return [open + 1, close];
    let to = close + 1;
    while (to < end && isBlank(units[to])) to += 1;
    let from = open;
    if (to === close + 1) while (from > lineStart(units, at) && isBlank(units[from - 1])) from -= 1;
    return [from, to];
  }
  return null;
}

function inBrackets(
  { units, at }: Buffer,
  [opens, closes]: readonly [string, string],
  isAround: boolean,
  count: number,
): TextSpan | null {
  let open = at;
  for (let left = count; left > 0; left--) {
    const from = left === count ? at : open - 1;
    open = units[from] === opens ? from : partner(units, from, -1, closes, opens);
    if (open === -1) return null;
  }
  const close = partner(units, open, 1, opens, closes);
  if (close === -1) return null;
  return isAround ? [open, close + 1] : [open + 1, close];
}

/** Returns where the one is that belongs to neither of those between, or -1. */
function partner(units: Units, at: number, step: 1 | -1, nests: string, ends: string): number {
  let depth = 0;
  for (let place = at + step; place >= 0 && place < units.length; place += step) {
    if (units[place] === nests) depth += 1;
    else if (units[place] === ends && depth === 0) return place;
    else if (units[place] === ends) depth -= 1;
  }
  return -1;
}
