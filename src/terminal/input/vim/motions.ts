import { graphemesOf } from "../../display-width.ts";
/** Which character `f`, `t`, `F` or `T` looks for. */
export interface Find {
  readonly by: string;
  readonly unit: string;
}

/** Where a motion leads. */
export interface MovedTo {
  readonly at: number;
  /** The character there belongs to what an operator takes. */
  readonly isInclusive?: boolean;
  /** An operator takes whole lines. */
  readonly isLines?: boolean;
}

export interface MotionContext {
  /** Absent: the user gave none. */
  readonly count: number | undefined;
  readonly find: Find | null;
  /** The column that j and k keep. */
  readonly column: number;
}

type Motion = (buffer: Buffer, context: MotionContext) => MovedTo | null;

export const FINDS = "fFtT";

const repeated =
  (step: (units: Units, at: number) => number, isInclusive = false): Motion =>
  ({ units, at }, { count = 1 }) => {
    let to = at;
    for (let left = count; left > 0; left--) to = step(units, to);
    return to === at && !isInclusive ? null : { at: to, isInclusive };
  };

const vertical =
  (step: 1 | -1): Motion =>
  ({ units, at }, { count = 1, column }) => {
    let start = lineStart(units, at);
    for (let left = count; left > 0; left--) {
      const next = step === 1 ? lineEnd(units, start) + 1 : start - 1;
      if (next < 0 || next > units.length) break;
      start = lineStart(units, next);
    }
    if (start === lineStart(units, at)) return null;
    return { at: Math.min(start + column, lineEnd(units, start)), isLines: true };
  };

const toLine =
  (usual: (units: Units) => number): Motion =>
  ({ units }, { count }) => {
    if (count === undefined) return { at: firstOfLine(units, usual(units)), isLines: true };
    let start = 0;
    for (let line = 1; line < count && lineEnd(units, start) < units.length; line++)
      start = lineEnd(units, start) + 1;
    return { at: firstOfLine(units, start), isLines: true };
  };

const again =
  (turn: boolean): Motion =>
  (buffer, { count = 1, find }) => {
    if (find === null) return null;
    const by = turn ? otherCase(find.by) : find.by;
    return findUnit(buffer, { ...find, by }, count, true);
  };

/** By the keys that mean them. */
export const motions: ReadonlyMap<string, Motion> = new Map<string, Motion>([
  ["h", repeated((units, at) => Math.max(lineStart(units, at), at - 1))],
  ["l", repeated((units, at) => Math.min(lineEnd(units, at), at + 1))],
  ["j", vertical(1)],
  ["k", vertical(-1)],
  ["0", ({ units, at }) => ({ at: lineStart(units, at) })],
  ["^", ({ units, at }) => ({ at: firstOfLine(units, at) })],
  [
    "$",
    ({ units, at }, { count = 1 }) => {
      let end = lineEnd(units, at);
      for (let left = count; left > 1 && end < units.length; left--) end = lineEnd(units, end + 1);
      return { at: end };
    },
  ],
  ["w", repeated((units, at) => nextWord(units, at, false))],
  ["W", repeated((units, at) => nextWord(units, at, true))],
  ["b", repeated((units, at) => wordBefore(units, at, false))],
  ["B", repeated((units, at) => wordBefore(units, at, true))],
  ["e", repeated((units, at) => wordEnd(units, at, false), true)],
  ["E", repeated((units, at) => wordEnd(units, at, true), true)],
  ["gg", toLine(() => 0)],
  ["G", toLine((units) => units.length)],
  [";", again(false)],
  [",", again(true)],
  ...[...FINDS].map((by): [string, Motion] => [
    by,
    (buffer, { count = 1, find }) => (find === null ? null : findUnit(buffer, find, count, false)),
  ]),
]);

function isEmptyLine(units: Units, at: number): boolean {
  return units[at] === "\n" && (at === 0 || units[at - 1] === "\n");
}

function nextWord(units: Units, at: number, isBig: boolean): number {
  const kind = wordKind(units[at], isBig);
  let to = at;
  if (kind !== "blank") while (to < units.length && wordKind(units[to], isBig) === kind) to += 1;
  while (to < units.length && isBlank(units[to]) && (to === at || !isEmptyLine(units, to))) to += 1;
  return to;
}

function wordBefore(units: Units, at: number, isBig: boolean): number {
  let to = at - 1;
  while (to > 0 && isBlank(units[to]) && !isEmptyLine(units, to)) to -= 1;
  const kind = wordKind(units[to], isBig);
  if (kind === "blank") return Math.max(0, to);
  while (to > 0 && wordKind(units[to - 1], isBig) === kind) to -= 1;
  return to;
}

function wordEnd(units: Units, at: number, isBig: boolean): number {
  let to = at + 1;
  while (to < units.length && isBlank(units[to])) to += 1;
  if (to >= units.length) return Math.max(0, units.length - 1);
  return endOfRun(units, to, isBig);
}

/** Returns the last character of the word, the signs or the blanks at this one. */
export function endOfRun(units: Units, at: number, isBig: boolean): number {
  let to = at;
  while (to + 1 < units.length && wordKind(units[to + 1], isBig) === wordKind(units[at], isBig)) to += 1;
  return to;
}

/** Looks in the line. `isRepeat`: past the one that it stopped before. */
function findUnit(
  { units, at }: Buffer,
  { by, unit }: Find,
  count: number,
  isRepeat: boolean,
): MovedTo | null {
  const isBefore = by === "t" || by === "T";
  const step = by === "f" || by === "t" ? 1 : -1;
  const [start, end] = [lineStart(units, at), lineEnd(units, at)];
  let left = count;
  for (let to = at + step * (isBefore && isRepeat ? 2 : 1); to >= start && to < end; to += step) {
    if (units[to] === unit) left -= 1;
    if (left === 0) return { at: isBefore ? to - step : to, isInclusive: step === 1 };
  }
  return null;
}

export function otherCase(unit: string): string {
  const upper = unit.toUpperCase();
  return unit === upper ? unit.toLowerCase() : upper;
}

/** Characters as a user sees them; the mark of a folded paste is one of them. */
export type Units = readonly string[];

/** A text and the cursor in it: before `units[at]`. */
export interface Buffer {
  readonly units: Units;
  readonly at: number;
}

const MARK = /(\[paste #\d+(?: (?:\+\d+ lines|\d+ chars))?\])/;

export function unitsOf(text: string): Units {
  return text.split(MARK).flatMap((part, index) => (index % 2 === 1 ? [part] : graphemesOf(part)));
}

export function lineStart(units: Units, at: number): number {
  return at === 0 ? 0 : units.lastIndexOf("\n", at - 1) + 1;
}

/** Returns where the line's break is, or the end of the text. */
export function lineEnd(units: Units, at: number): number {
  const end = units.indexOf("\n", at);
  return end === -1 ? units.length : end;
}

/** Returns the first character of the line other than a blank. */
export function firstOfLine(units: Units, at: number): number {
  const end = lineEnd(units, at);
  let first = lineStart(units, at);
  while (first < end && isBlank(units[first])) first += 1;
  return first;
}

/** Returns the cursor where a command may leave it: on a character, if the line has one. */
export function onCharacter({ units, at }: Buffer): Buffer {
  const within = Math.max(0, Math.min(at, units.length));
  return { units, at: Math.max(lineStart(units, within), Math.min(within, lineEnd(units, within) - 1)) };
}

export function splice(units: Units, from: number, to: number, put: Units = []): Units {
  return [...units.slice(0, from), ...put, ...units.slice(to)];
}

export function isBlank(unit: string | undefined): boolean {
  return unit === undefined || /^\s/.test(unit);
}

/** Returns what belongs together in a word: with `isBig` everything between blanks does. */
export function wordKind(unit: string | undefined, isBig: boolean): "blank" | "word" | "sign" {
  if (isBlank(unit)) return "blank";
  return isBig || MARK.test(unit ?? "") || /^[\p{L}\p{N}\p{M}_]/u.test(unit ?? "") ? "word" : "sign";
}
