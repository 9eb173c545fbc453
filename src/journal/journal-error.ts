import { errorCode, errorMessage } from "../lib/errors.ts";

/**
 * `record`: this one can never be written, others can. `unwritable`: for now, as on a full disk; a later append may
 * succeed. `broken`: nothing more is written in this session. `closed`: by request. `file`: a directory, a lock or a
 * journal is invalid.
 */
export type JournalErrorKind = "record" | "unwritable" | "broken" | "closed" | "file";

/** A failure of the journal. `message` is one sentence for the user: the file, why, what to do. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly path: string;
  readonly kind: JournalErrorKind;
  constructor(message: string, path: string, kind: JournalErrorKind = "file", cause?: unknown) {
    super(message, { cause });
    this.path = path;
    this.kind = kind;
  }
}

/** Returns why a file of the journal could not be made or written, and what to do about it. */
export function writeSentence(path: string, error: unknown): string {
  if (error instanceof JournalError) return error.message;
  return `The journal ${path} could not be written: ${reasonOf(error)}.`;
}

/** True if the disk is full, which may change. */
export function isFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** After a failed fsync the system may have dropped the bytes and report success for the next one (fault 45). */
export function syncSentence(path: string, error: unknown): string {
  return `The journal ${path} could not be made safe on disk (fsync: ${errorCode(error) ?? String(error)}), so its last records may be lost; check the disk, then start a new session.`;
}

export function replacedSentence(path: string, error: unknown): string {
  return `The journal ${path} could not be made safe on disk (fsync: ${errorCode(error) ?? String(error)}), so it was written again, with nothing lost; check the disk.`;
}

export function changedSentence(path: string): string {
  return `The journal ${path} has changed since it was read, so nothing is added to it; see that no other program writes it, then resume the session again.`;
}

export function readSentence(path: string, error: unknown): string {
  if (errorCode(error) === "ENOENT") return `There is no journal at ${path}; see \`troupe sessions list\`.`;
  return `The journal ${path} could not be read: ${reasonOf(error)}.`;
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `the disk is full (${code}); free some space, then try again`;
    case "EFBIG":
      return "it would be larger than files may be here (EFBIG); raise the limit (`ulimit -f`), then try again";
    case "EROFS":
      return "the file system is read-only (EROFS); set TROUPE_HOME to a directory that can be written";
    case "EACCES":
    case "EPERM":
      return `access is denied (${code}); check the permissions of its directory or set TROUPE_HOME to another one`;
    case "EEXIST":
      return "there is a file already, and a journal is never written over (EEXIST); start a new session";
    case "EIO":
      return "the disk reports an error (EIO); check the disk or set TROUPE_HOME to a directory on another one";
    default:
      return `${errorMessage(error)}; check the directory or set TROUPE_HOME to another one`;
  }
}
