import { closeSync, constants, fchmodSync, lstatSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolders } from "../../journal/private-files.ts";
import { writeWhole } from "../../lib/files.ts";

/** The plans of a session: one file for each approved plan and one for the next, next to its journal. */
export interface PlanFiles {
  readonly folder: string;
  /** The file of the current plan. */
  readonly current: string;
  /** Starts another plan, in its own file. */
  next(): void;
  /** Writes atomically: the file is the old or the new one (fault 39). Rejects if it cannot be written. */
  write(plan: string): Promise<void>;
  /** Reads at most `maxBytes`; resolves with null if there is no file. Rejects if it cannot be read. */
  read(maxBytes: number): Promise<string | null>;
}

export function planFilesIn(home: string, session: string): PlanFiles {
  const folder = join(session, "plans");
  let round = 1;
  const current = () => join(folder, `plan-${round}.md`);
  // A resumed session leaves plans that were approved before unchanged.
  while (isSealed(current())) round += 1;
  return {
    folder,
    get current() {
      return current();
    },
    next() {
      seal(current());
      round += 1;
    },
    async write(plan) {
      makePrivateFolders(home, folder);
      await writeWhole(current(), plan, 0o600);
    },
    read: (maxBytes) => readRegular(current(), maxBytes),
  };
}

const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Makes an approved plan read-only, by which a later session recognizes it. */
function seal(path: string): void {
  try {
    const file = openSync(path, constants.O_RDONLY | NO_LINK);
    try {
      fchmodSync(file, 0o400);
    } finally {
      closeSync(file);
    }
  } catch {
    // Already removed: there is nothing to keep.
  }
}

function isSealed(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && (found.mode & 0o200) === 0;
}

async function readRegular(path: string, maxBytes: number): Promise<string | null> {
  // Does not follow a link, nor wait for the other end of a pipe.
  const file = await open(path, constants.O_RDONLY | NO_LINK).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is no file`);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(maxBytes), position: 0 });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
