import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { linesOf } from "./positions.ts";

/** Bytes of a file that a server is told of. */
export const MOST_BYTES = 4 * 1024 * 1024;
/** Files that are kept; lines of results come from the same few again and again. */
const MOST_KEPT = 64;

export interface FileText {
  readonly text: string;
  readonly lines: readonly string[];
  /** Another one where the file was written since. */
  readonly stamp: string;
}

/** What files say, read again only where they were written since. */
export class FileTexts {
  readonly #kept = new Map<string, FileText>();

  /** Null: there is no such file, it is not an ordinary one, or too large. */
  async read(path: string): Promise<FileText | null> {
    const stamp = stampOf(path);
    if (stamp === null) {
      this.#kept.delete(path);
      return null;
    }
    const kept = this.#kept.get(path);
    if (kept?.stamp === stamp) return kept;
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) return null;
    const read = { text, lines: linesOf(text), stamp };
    this.#kept.delete(path);
    this.#kept.set(path, read);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    return read;
  }
}

/** Not awaited: a round trip through the pool takes longer than all else of a warm question. */
function stampOf(path: string): string | null {
  try {
    const about = statSync(path);
    // A pipe would never end, and a device may not either.
    if (!about.isFile() || about.size > MOST_BYTES) return null;
    return `${about.mtimeMs} ${about.ctimeMs} ${about.size} ${about.ino}`;
  } catch {
    return null;
  }
}
