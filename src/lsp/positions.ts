/** How a server counts the characters of a line; what Troupe shows are characters as people count them, from 1. */
export type Encoding = "utf-8" | "utf-16" | "utf-32";

/** A place as the protocol has it: both numbers from 0, `character` in units of the encoding. */
export interface WirePosition {
  readonly line: number;
  readonly character: number;
}

const utf8 = new TextEncoder();

function unitsOf(text: string, encoding: Encoding): number {
  switch (encoding) {
    case "utf-16":
      return text.length;
    case "utf-8":
      return utf8.encode(text).length;
    case "utf-32":
      return [...text].length;
    default:
      return encoding satisfies never;
  }
}

/** The units before a character, counted from 1; beyond the end of the line it is the end. */
export function toUnits(line: string, character: number, encoding: Encoding): number {
  return unitsOf([...line].slice(0, character - 1).join(""), encoding);
}

/** The character, counted from 1, that begins after so many units, or that these cut through. */
export function fromUnits(line: string, units: number, encoding: Encoding): number {
  if (encoding === "utf-16" && !/[\ud800-\udfff]/.test(line)) return Math.min(units, line.length) + 1;
  let before = 0;
  let character = 1;
  for (const sign of line) {
    before += unitsOf(sign, encoding);
    if (before > units) return character;
    character += 1;
  }
  return character;
}

/** The lines of a text, as the protocol ends them. */
export function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

/** The name that a character is in or right behind; null: there is none. */
export function nameAt(line: string, character: number): string | null {
  const signs = [...line];
  const isPart = (at: number) => /[\p{L}\p{N}_$]/u.test(signs[at] ?? "");
  let start = character - 1;
  if (!isPart(start)) start -= 1;
  if (!isPart(start)) return null;
  let end = start;
  while (isPart(start - 1)) start -= 1;
  while (isPart(end + 1)) end += 1;
  return signs.slice(start, end + 1).join("");
}
