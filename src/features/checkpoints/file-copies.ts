import { constants, lstatSync, mkdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { type CallId, MAIN } from "../../mailbox/ids.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { appendEntries, type FileStamp, realPathOf, savedDir, stampOf } from "./saved-files.ts";

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
  /** The names of the copies of the present run of the main conversation, by path. */
  let copies = new Map<string, Promise<string | null>>();
  let run = -1;
  let hasWarned = false;
  const writing = new Map<CallId, readonly string[]>();

  /** The edit is what was asked for; only going back to before it is not possible. */
  const warn = (error: unknown): void => {
    if (!hasWarned)
      onWarning(`A file could not be copied, so /rewind cannot restore it: ${errorMessage(error)}`);
    hasWarned = true;
  };

  const copy = async (path: string, state: FileStamp, name: string): Promise<string | null> => {
    if (state === null || state.size > MOST_BYTES) return null;
    try {
      await copyFile(path, join(savedDir(folder), name), constants.COPYFILE_FICLONE);
      return name;
    } catch (error) {
      warn(error);
      return null;
    }
  };

  return {
    async before(id, targets) {
      const now = actors.find(MAIN)?.run ?? 0;
      if (now !== run) copies = new Map();
      run = now;
      try {
        mkdirSync(savedDir(folder), { recursive: true, mode: 0o700 });
        const paths = targets.flatMap((target) => realFile(target) ?? []);
        writing.set(id, paths);
        for (const [at, path] of paths.entries()) {
          const state = stampOf(path);
          // Also while another call's copy is still being made: this one must not write into it.
          const copied = copies.get(path) ?? copy(path, state, `${id}.${at}`);
          copies.set(path, copied);
          appendEntries(folder, [{ type: "before", call: id, path, state, copy: await copied }]);
        }
      } catch (error) {
        warn(error);
      }
    },
    after(id) {
      const paths = writing.get(id) ?? [];
      writing.delete(id);
      try {
        appendEntries(
          folder,
          paths.map((path) => ({ type: "after", call: id, path, state: stampOf(path) })),
        );
      } catch {
        // Without it, going back asks first.
      }
    },
  };
}

/** Returns the path without links, or null if it leads to something that cannot be copied. */
function realFile(target: string): string | null {
  const path = realPathOf(target);
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === false ? null : path;
}
