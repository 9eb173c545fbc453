import { statSync } from "node:fs";
import { JournalError, writeSentence } from "./journal-error.ts";
import { takeLock } from "./numbered-lock.ts";
import type { SessionPlace } from "./paths.ts";
import { makePrivateFolders } from "./private-files.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** One process per session (fault 46). */
export type SessionLock =
  | {
      readonly type: "locked";
      /** Releases the lock. Idempotent; a killed process leaves a stale lock. */
      release(): void;
      /** Names the previous owner of a stale lock that was taken over, in a sentence. */
      readonly note?: string;
    }
  | { readonly type: "held"; readonly by: ProcessIdentity; readonly reason: string };

/**
 * Locks a new or existing session for a process; makes its directory. Does not wait for the disk. Throws a
 * `JournalError` if the directory cannot be written.
 */
export function lockSession({ home, folder }: SessionPlace, me: ProcessIdentity): SessionLock {
  try {
    makePrivateFolders(home, folder, "none");
    const lock = takeLock(folder, me);
    switch (lock.type) {
      case "taken":
        return { type: "locked", release: lock.release, ...noteOn(lock.before) };
      case "held": {
        const { by, file } = lock;
        const reason = `The session is open in another process (pid ${by.pid})${sinceWhen(file)}; end it there, or resume a copy of the session. If that process is no Troupe, remove ${file}.`;
        return { type: "held", by, reason };
      }
      case "contended":
        throw new JournalError(
          `The session in ${folder} could not be locked because others lock it again and again; try again.`,
          folder,
        );
      default:
        return lock satisfies never;
    }
  } catch (error) {
    throw new JournalError(writeSentence(folder, error), folder, "unwritable", error);
  }
}

function sinceWhen(path: string): string {
  try {
    return ` since ${statSync(path).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  } catch {
    // Just released.
    return "";
  }
}

function noteOn(owner: ProcessIdentity | null): { note?: string } {
  if (owner === null) return {};
  return { note: `The session was last open in a process (pid ${owner.pid}) that ended without closing it.` };
}
