import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import {
  appendEntries,
  type FileStamp,
  isSameStamp,
  readEntries,
  realPathOf,
  type SavedEntry,
  savedDir,
  stampOf,
} from "./saved-files.ts";

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
export function findFilesSince(
  folder: string,
  entries: readonly SavedEntry[],
  calls: ReadonlySet<string>,
): FilesSince {
  interface Known {
    readonly before: FileStamp;
    readonly copy: string | null;
    isForeign: boolean;
  }
  const known = new Map<string, Known>();
  /** As the last call left it. */
  const left = new Map<string, FileStamp>();
  for (const entry of entries) {
    const { path, state } = entry;
    if (entry.type !== "before") left.set(path, state);
    else if (calls.has(entry.call)) {
      const one = known.get(path);
      const last = left.get(path);
      if (one === undefined) known.set(path, { before: state, copy: entry.copy, isForeign: false });
      else one.isForeign ||= last !== undefined && !isSameStamp(last, state);
    }
  }
  const files: WrittenSince[] = [];
  const lost: string[] = [];
  for (const [path, { before, copy, isForeign }] of known) {
    const now = stampOf(path);
    if (isSameStamp(before, now)) continue;
    const isLost = before !== null && (copy === null || !existsSync(join(savedDir(folder), copy)));
    if (isLost) lost.push(path);
    else files.push({ path, copy, isChanged: isForeign || !isSameStamp(left.get(path) ?? null, now) });
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
      assertRestorable(path);
      const kept = isChanged ? keep(folder, path) : null;
      restore(path, copy === null ? null : join(savedDir(folder), copy));
      appendEntries(folder, [{ type: "restored", path, state: stampOf(path) }]);
      return kept === null ? [] : [`What was in ${path} is kept as ${kept}.`];
    } catch (error) {
      return [`${path} was not restored: ${errorMessage(error)}.`];
    }
  });
}

/** A link that has been made since then must not lead to another file. */
function assertRestorable(path: string): void {
  if (realPathOf(dirname(path)) !== dirname(path)) throw new Error("a directory above it is a link now");
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) throw new Error("it is no longer a file");
}

function restore(path: string, copy: string | null): void {
  if (copy === null) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  // Always the same name: the next restore removes what a kill has left.
  const temporary = join(dirname(path), ".troupe-rewind.tmp");
  rmSync(temporary, { force: true });
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
  const entries = readEntries(from).filter((one) => one.type === "restored" || calls.has(one.call));
  if (entries.every(({ type }) => type === "restored")) return;
  mkdirSync(savedDir(to), { recursive: true, mode: 0o700 });
  const copies = new Set(entries.flatMap((one) => (one.type === "before" && one.copy) || []));
  for (const copy of copies) {
    const [source, target] = [join(savedDir(from), copy), join(savedDir(to), copy)];
    if (!existsSync(source)) continue;
    try {
      linkSync(source, target);
    } catch {
      copyFileSync(source, target);
    }
  }
  appendEntries(to, entries);
}
