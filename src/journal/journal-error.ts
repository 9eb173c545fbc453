/** The journal could not do what was asked. `message` is one sentence for a person: the file, why, what to do. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly path: string;
  constructor(message: string, path: string, cause?: unknown) {
    super(message, { cause });
    this.path = path;
  }
}

export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Why a file of the journal could not be made or written, and what to do about it. */
export function writeSentence(path: string, error: unknown): string {
  if (error instanceof JournalError) return error.message;
  return `The journal ${path} could not be written: ${reasonOf(error)}.`;
}

/** After a failed fsync the system may have thrown the bytes away and call the next one good (fault 45). */
export function syncSentence(path: string, error: unknown): string {
  const code = codeOf(error) ?? String(error);
  return `The journal ${path} could not be made safe on disk (fsync: ${code}), so its last records may be lost; check the disk, then start a new session.`;
}

export function readSentence(path: string, error: unknown): string {
  if (codeOf(error) === "ENOENT") return `There is no journal at ${path}; see \`troupe sessions list\`.`;
  return `The journal ${path} could not be read: ${reasonOf(error)}.`;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return `the disk is full (${code}); free some space, then try again`;
    case "EFBIG":
      return "it would be larger than files may be here (EFBIG); raise the limit (`ulimit -f`), then try again";
    case "EROFS":
      return "the file system is read-only (EROFS); set TROUPE_HOME to a folder that can be written";
    case "EACCES":
    case "EPERM":
      return `access is denied (${code}); check the permissions of its folder or set TROUPE_HOME to another one`;
    case "EEXIST":
      return "there is a file already, and a journal is never written over (EEXIST); start a new session";
    case "EIO":
      return "the disk reports an error (EIO); check the disk or set TROUPE_HOME to a folder on another one";
    default:
      return `${error instanceof Error ? error.message : String(error)}; check the folder or set TROUPE_HOME to another one`;
  }
}
