import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { appendEntries, type FileStamp, isSameStamp, readEntries, savedDir, stampOf } from "./saved-files.ts";

/** A file that was written after a point of the conversation. */
export interface WrittenSince {
  readonly path: string;
  /** The name of the copy from before; null if there was no file. */
  readonly copy: string | null;
  /** Not only calls of this session have changed it since. */
  readonly isChanged: boolean;
}

export interface FilesSince {
  readonly files: readonly WrittenSince[];
  /** Those of which there is no copy. */
  readonly lost: readonly string[];
}

/** Returns which files differ now from what they were before these calls, as far as tools wrote them. */
export function findFilesSince(folder: string, calls: ReadonlySet<string>): FilesSince {
  interface Known {
    readonly before: FileStamp;
    readonly copy: string | null;
    after: FileStamp | undefined;
    foreign: boolean;
  }
  const known = new Map<string, Known>();
  for (const entry of readEntries(folder).filter(({ call }) => calls.has(call))) {
    const one = known.get(entry.path);
    if (entry.type === "after") {
      if (one !== undefined) one.after = entry.state;
    } else if (one === undefined)
      known.set(entry.path, { before: entry.state, copy: entry.copy, after: undefined, foreign: false });
    else one.foreign ||= entry.foreign === true;
  }
  const files: WrittenSince[] = [];
  const lost: string[] = [];
  for (const [path, { before, copy, after, foreign }] of known) {
    const now = stampOf(path);
    if (isSameStamp(before, now)) continue;
    const isLost = before !== null && (copy === null || !existsSync(join(savedDir(folder), copy)));
    if (isLost) lost.push(path);
    else files.push({ path, copy, isChanged: foreign || after === undefined || !isSameStamp(after, now) });
  }
  return { files, lost };
}

/**
 * Makes files what they were. What is replaced is kept next to the copies if not only this session has changed it. Returns
 * sentences: where that is, and what failed.
 */
export function restoreFiles(folder: string, files: readonly WrittenSince[]): readonly string[] {
  return files.flatMap(({ path, copy, isChanged }) => {
    try {
      const kept = isChanged ? keep(folder, path) : null;
      restore(path, copy === null ? null : join(savedDir(folder), copy));
      noteRestored(folder, path);
      return kept === null ? [] : [`What was in ${path} is kept as ${kept}.`];
    } catch (error) {
      return [`${path} was not restored: ${errorMessage(error)}.`];
    }
  });
}

/** Whichever call wrote it last in a conversation that returns to an earlier prompt: it has left the file like this. */
function noteRestored(folder: string, path: string): void {
  const calls = new Set(readEntries(folder).flatMap((entry) => (entry.path === path ? [entry.call] : [])));
  const stamp = stampOf(path);
  appendEntries(
    folder,
    [...calls].map((call) => ({ type: "after", call, path, state: stamp })),
  );
}

function restore(path: string, copy: string | null): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw new Error("it is no longer a file");
  if (copy === null) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  if (realpathSync(dirname(path)) !== dirname(path)) throw new Error("its directory is a link now");
  const temporary = `${path}.troupe-rewind-${process.pid}`;
  try {
    copyFileSync(copy, temporary, constants.COPYFILE_EXCL);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function keep(folder: string, path: string): string | null {
  if (!existsSync(path)) return null;
  for (let number = 1; ; number += 1) {
    const kept = join(savedDir(folder), `kept-${number}`);
    if (existsSync(kept)) continue;
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
    return kept;
  }
}

/** Gives a copy of a session the files that were copied for these calls. */
export function carryCopies(from: string, to: string, calls: ReadonlySet<string>): void {
  const entries = readEntries(from).filter(({ call }) => calls.has(call));
  if (entries.length === 0) return;
  mkdirSync(savedDir(to), { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    if (entry.type !== "before" || entry.copy === null) continue;
    const [source, target] = [from, to].map((folder) => join(savedDir(folder), entry.copy ?? ""));
    if (source === undefined || target === undefined || !existsSync(source)) continue;
    try {
      linkSync(source, target);
    } catch {
      copyFileSync(source, target);
    }
  }
  appendEntries(to, entries);
}
