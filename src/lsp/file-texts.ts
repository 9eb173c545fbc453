import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { splitLines } from "./positions.ts";

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
