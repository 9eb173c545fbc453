import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";

const MOST_BYTES = 4 * 1024 * 1024;
/** Files that are kept: lines of results come from the same few files. */
const MOST_KEPT = 64;

export interface CachedText {
  readonly text: string;
  readonly lines: readonly string[];
  readonly stamp: string;
}

/** Texts of files, read again only if they were written since. */
export class FileTexts {
  readonly #kept = new Map<string, CachedText>();

  /** Returns null if the file does not exist, is not a regular file, or is too large. */
  async read(path: string): Promise<CachedText | null> {
    const stamp = stampOf(path);
    if (stamp === null) {
      this.#kept.delete(path);
      return null;
    }
    const kept = this.#kept.get(path);
    if (kept?.stamp === stamp) return kept;
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) return null;
    const read = { text, lines: splitLines(text), stamp };
    this.#kept.delete(path);
    this.#kept.set(path, read);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return read;
  }
}

/** Synchronous: a round trip through the thread pool takes longer than the rest of a warm question. */
function stampOf(path: string): string | null {
  try {
    const stats = statSync(path);
    // A pipe or a device may have no end.
    if (!stats.isFile() || stats.size > MOST_BYTES) return null;
    return `${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
  } catch {
    return null;
  }
}

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

function splitLines(text: string): readonly string[] {
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
