import { accessSync, constants, lstatSync, realpathSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { isPathInside } from "../lib/paths.ts";
import type { Access } from "../mailbox/calls.ts";
import { bareMessage, NO_NUL, resolvePath } from "./paths.ts";
import { irregular, type Unusable, unusable } from "./regular-file.ts";
import type { ThreadCallContext } from "./tool.ts";

/** The target of a write: a real directory, names of directories to be created in it, and the file's name. */
export interface WritePlace {
  readonly type: "place";
  /** The file's real path. */
  readonly path: string;
  /** The deepest directory that exists, as a real path. */
  readonly dir: string;
  readonly below: readonly string[];
  readonly name: string;
  /** The file as it is now; null if it does not exist. */
  readonly existing: Stats | null;
}

/** Returns what a writing call touches: the path as it was given, and the real one. */
export function writeAccesses(cwd: string, path: string): Access[] {
  const given = resolvePath(cwd, path);
  const { dir, below } = deepestReal(given);
  const real = join(dir, ...below);
  return [...new Set([given, real])].map((target) => ({ kind: "write", target }));
}

/**
 * Resolves the path to write to through its links. A link that leads out of the workspace is refused even after the gate
 * has allowed the call: it may be newer (fault 48). The gate decides about a given path outside.
 */
export function writePlace(
  given: string,
  { root, additionalDirs }: Pick<ThreadCallContext, "root" | "additionalDirs">,
): WritePlace | Unusable {
  try {
    const { dir: deepest, below: rest } = deepestReal(given);
    if (isLink(deepest))
      return unusable(
        `${given} was not written: ${deepest} is a link that leads nowhere. Create what it names, or write elsewhere.`,
      );
    const path = join(deepest, ...rest);
    const dirs = [root, ...additionalDirs].flatMap(bothNames);
    const isInside = (candidate: string) => dirs.some((dir) => isPathInside(candidate, dir));
    if (isInside(given) && !isInside(path))
      return unusable(
        `${given} was not written: it leads out of the workspace, to ${path}, through a symbolic link. Name the file itself if you mean it.`,
      );
    const existing = rest.length === 0 ? lstatSync(path) : null;
    if (existing) {
      const problem = irregular(path, existing);
      if (problem !== null) return unusable(problem);
      accessSync(path, constants.W_OK);
    }
    const names = existing ? [basename(path)] : rest;
    const dir = existing ? dirname(path) : deepest;
    return { type: "place", path, dir, below: names.slice(0, -1), name: names.at(-1) ?? "", existing };
  } catch (error) {
    return unusable(writeError(given, error));
  }
}

/** Returns the real path of the deepest part that exists, and the names after it; it stops at a link to nothing. */
function deepestReal(path: string): { dir: string; below: string[] } {
  const below: string[] = [];
  for (let part = path; ; part = dirname(part)) {
    try {
      return { dir: realpathSync.native(part), below };
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || part === dirname(part) || isLink(part))
        return { dir: part, below };
    }
    below.unshift(basename(part));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function bothNames(dir: string): string[] {
  const { dir: real, below } = deepestReal(dir);
  return [dir, join(real, ...below)];
}

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
