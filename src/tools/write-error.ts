import { errorCode } from "../lib/errors.ts";
import { bareMessage, NO_NUL } from "./paths.ts";

/** Returns why nothing was written to this path. */
export function writeError(path: string, error: unknown): string {
  return `${path} was not written: ${reasonOf(error)}`;
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return "there is no space left on the disk. Free some, or say that it is full.";
    case "EFBIG":
      return "it would be larger than a file may be here. Write less.";
    case "EACCES":
    case "EPERM":
      return "permission denied. Change its permissions if that is meant, or write elsewhere.";
    case "EROFS":
      return "the file system is read-only. Write elsewhere.";
    case "ENOENT":
      return "a directory in its path was deleted, or no file can be created there. Look at what is there, then write again.";
    case "ENOTDIR":
    case "EEXIST":
      return "a part of the path is a file, not a directory. Write elsewhere.";
    case "ELOOP":
      return "its symbolic links form a circle. Name a file by its own path.";
    case "ENAMETOOLONG":
      return "the name is too long. Give it a shorter one.";
    case "EBUSY":
      return "it is in use (a mount, perhaps) and cannot be replaced. Write elsewhere.";
    case "ERR_INVALID_ARG_VALUE":
      return NO_NUL;
    case "EMFILE":
    case "ENFILE":
      return "too many files are open. Try again.";
    default:
      return `${bareMessage(error)}. Write elsewhere, or report it.`;
  }
}
