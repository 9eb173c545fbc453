import { constants, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { type CallId, MAIN } from "../../mailbox/ids.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { appendEntries, type FileStamp, isSameStamp, readEntries, savedDir, stampOf } from "./saved-files.ts";

export interface CheckpointParts {
  /** Of the session. */
  readonly folder: string;
  readonly actors: Pick<Actors, "find">;
  /** Edits in worktrees are merged later: they are not in the user's files yet. */
  readonly trees: { at(root: string): object | null };
  readonly onWarning: (message: string) => void;
}

/** The copies of files that a session's tools have written. */
export interface FileCopies {
  /** Copies the files that a call is about to write, once in a run of the main conversation. Never rejects. */
  before(call: CallId, targets: readonly string[]): Promise<void>;
  /** Notes what the call left. */
  after(call: CallId): void;
}

/** A larger file is not copied, and not restored. */
const MOST_BYTES = 16 * 1024 * 1024;

export function openFileCopies({ folder, actors, onWarning }: CheckpointParts): FileCopies {
  /** What was copied in the present run of the main conversation. */
  let copied = new Set<string>();
  let run = -1;
  let hasWarned = false;
  /** What calls of this session left, with what an earlier process recorded. */
  const left = new Map<string, FileStamp>();
  for (const entry of readEntries(folder)) if (entry.type === "after") left.set(entry.path, entry.state);
  const writing = new Map<CallId, readonly string[]>();

  const copy = async (call: CallId, path: string, at: number): Promise<void> => {
    const state = stampOf(path);
    const known = left.get(path);
    const isForeign = known !== undefined && !isSameStamp(known, state);
    if (copied.has(path) && !isForeign) return;
    copied.add(path);
    const name = state !== null && state.size <= MOST_BYTES ? `${call}.${at}` : null;
    if (name !== null) await copyFile(path, join(savedDir(folder), name), constants.COPYFILE_FICLONE);
    appendEntries(folder, [
      { type: "before", call, path, state, copy: name, ...(isForeign ? { foreign: true } : {}) },
    ]);
  };

  return {
    async before(id, targets) {
      const now = actors.find(MAIN)?.run ?? 0;
      if (now !== run) copied = new Set();
      run = now;
      try {
        mkdirSync(savedDir(folder), { recursive: true, mode: 0o700 });
        const paths = targets.flatMap((target) => realFile(target) ?? []);
        writing.set(id, paths);
        for (const [at, path] of paths.entries()) await copy(id, path, at);
      } catch (error) {
        // The edit is what was asked for; only going back to before it is not possible.
        if (!hasWarned)
          onWarning(`A file could not be copied, so /rewind cannot restore it: ${errorMessage(error)}`);
        hasWarned = true;
      }
    },
    after(id) {
      const paths = writing.get(id) ?? [];
      writing.delete(id);
      const states = paths.map((path) => ({ path, state: stampOf(path) }));
      for (const { path, state } of states) left.set(path, state);
      if (states.length === 0) return;
      try {
        appendEntries(
          folder,
          states.map((one) => ({ type: "after", call: id, ...one })),
        );
      } catch {
        // Without it, going back asks first.
      }
    },
  };
}

/** Returns the path without links above the file, or null if it cannot be copied. */
function realFile(target: string): string | null {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile() && !stats.isSymbolicLink()) return null;
  try {
    return stats === undefined ? join(existingDir(dirname(target)), basename(target)) : realpathSync(target);
  } catch {
    return null;
  }
}

/** A directory that the call makes has no real path yet. */
function existingDir(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dirname(dir) === dir ? dir : join(existingDir(dirname(dir)), basename(dir));
  }
}
