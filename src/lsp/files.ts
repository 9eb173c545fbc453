import { statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";

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
    const read = { text, lines: text.split(/\r\n|\n|\r/), stamp };
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

/** In a larger project only open files are watched. */
const MOST_FILES = 20_000;
const BATCH = 64;
const FOREIGN = new Set(["node_modules", "target", "venv", "__pycache__"]);
/** Files other than code that say how a project is built. */
const CONFIGURATION = new Set([".json", ".toml", ".mod", ".work", ".sum", ".cfg", ".cmake", ".lock"]);

/** By path: a text that changes when the file is written. */
export type FileStamps = ReadonlyMap<string, string>;

/** A change with the protocol's number: 1 created, 2 written, 3 removed. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

/** Lists the files in a directory that matter to a server of these endings; null if there are too many. */
export async function listFiles(
  root: string,
  endings: readonly string[],
  signal: AbortSignal,
): Promise<FileStamps | null> {
  const wanted = new Set([...endings, ...CONFIGURATION]);
  const paths: string[] = [];
  const dirs = [root];
  for (let dir = dirs.pop(); dir !== undefined; dir = dirs.pop()) {
    if (signal.aborted) return null;
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith(".") || FOREIGN.has(entry.name)) continue;
      if (entry.isDirectory()) dirs.push(join(dir, entry.name));
      else if (entry.isFile() && wanted.has(extname(entry.name))) paths.push(join(dir, entry.name));
    }
    if (paths.length > MOST_FILES) return null;
  }
  const files = new Map<string, string>();
  for (let at = 0; at < paths.length; at += BATCH) {
    if (signal.aborted) return null;
    await Promise.all(
      paths.slice(at, at + BATCH).map(async (path) => {
        const stats = await stat(path).catch(() => null);
        if (stats !== null) files.set(path, `${stats.mtimeMs} ${stats.size} ${stats.ino}`);
      }),
    );
  }
  return files;
}

export function changesBetween(before: FileStamps, now: FileStamps): FileChange[] {
  const created = [...now].flatMap(([path, stamp]): FileChange[] => {
    const known = before.get(path);
    return known === stamp ? [] : [{ path, type: known === undefined ? 1 : 2 }];
  });
  const removed = [...before.keys()].filter((path) => !now.has(path));
  return [...created, ...removed.map((path): FileChange => ({ path, type: 3 }))];
}
