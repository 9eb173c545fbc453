/** A position in the protocol: both numbers from 0, `character` in UTF-16 units, which Troupe asks servers for. */
export interface WirePosition {
  readonly line: number;
  readonly character: number;
}

/** Returns the units before a character, counted from 1; beyond the end of the line it is the end. */
export function toUnits(line: string, character: number): number {
  return [...line].slice(0, character - 1).join("").length;
}

/** Returns the character, counted from 1, that starts after these units. */
export function fromUnits(line: string, units: number): number {
  return [...line.slice(0, units)].length + 1;
}

export function splitLines(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

/** Returns the name that contains a character or ends before it, or null. */
export function nameAt(line: string, character: number): string | null {
  const chars = [...line];
  const isPart = (at: number) => /[\p{L}\p{N}_$]/u.test(chars[at] ?? "");
  let start = character - 1;
  if (!isPart(start)) start -= 1;
  if (!isPart(start)) return null;
  let end = start;
  while (isPart(start - 1)) start -= 1;
  while (isPart(end + 1)) end += 1;
  return chars.slice(start, end + 1).join("");
}
