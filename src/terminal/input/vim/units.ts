/** Characters as a user sees them; the mark of a folded paste is one of them. */
export type Units = readonly string[];

/** A text and the cursor in it: before `units[at]`. */
export interface Buffer {
  readonly units: Units;
  readonly at: number;
}

const MARK = /(\[paste #\d+(?: (?:\+\d+ lines|\d+ chars))?\])/;
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function unitsOf(text: string): Units {
  return text
    .split(MARK)
    .flatMap((part, index) =>
      index % 2 === 1 ? [part] : Array.from(segmenter.segment(part), ({ segment }) => segment),
    );
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
