import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";

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
