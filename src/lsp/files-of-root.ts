import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

/** More files than that are not looked through; then only open ones are told of. */
const MOST_FILES = 20_000;
/** Looked at side by side. */
const BATCH = 64;
const STRANGE = new Set(["node_modules", "target", "venv", "__pycache__"]);
/** Files that say how a project is built, besides its code. */
const CONFIGURATION = new Set([".json", ".toml", ".mod", ".work", ".sum", ".cfg", ".cmake", ".lock"]);

/** By path: another text where the file was written since. */
export type Files = ReadonlyMap<string, string>;

/** A change as the protocol numbers it: 1 made, 2 written, 3 removed. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

/** The files below a folder that a server of these endings cares for; null: there are too many. */
export async function filesOf(
  root: string,
  endings: readonly string[],
  signal: AbortSignal,
): Promise<Files | null> {
  const wanted = new Set([...endings, ...CONFIGURATION]);
  const paths: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (signal.aborted) return null;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith(".") || STRANGE.has(entry.name)) continue;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
      else if (entry.isFile() && wanted.has(extname(entry.name))) paths.push(join(folder, entry.name));
    }
    if (paths.length > MOST_FILES) return null;
  }
  const files = new Map<string, string>();
  for (let at = 0; at < paths.length; at += BATCH) {
    if (signal.aborted) return null;
    await Promise.all(
      paths.slice(at, at + BATCH).map(async (path) => {
        const about = await stat(path).catch(() => null);
        if (about !== null) files.set(path, `${about.mtimeMs} ${about.size} ${about.ino}`);
      }),
    );
  }
  return files;
}

export function changesBetween(before: Files, now: Files): FileChange[] {
  const made = [...now].flatMap(([path, stamp]): FileChange[] => {
    const known = before.get(path);
    return known === stamp ? [] : [{ path, type: known === undefined ? 1 : 2 }];
  });
  const removed = [...before.keys()].filter((path) => !now.has(path));
  return [...made, ...removed.map((path): FileChange => ({ path, type: 3 }))];
}
