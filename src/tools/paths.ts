import { readlink } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { errorCode, errorMessage } from "../lib/errors.ts";
import { nearestFolder, similarNames } from "./similar-names.ts";

/** The absolute path a tool means. `~` is an ordinary name here: only a shell knows whose home it is. */
export function resolvePath(cwd: string, path: string | undefined): string {
  return resolve(cwd, path ?? ".");
}

/** A path as results show it: relative where it lies inside the working directory, because that is shorter. */
export function shownPath(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  return inside !== "" && isPathInside(cwd, path) ? inside : path;
}

/** Whether a path lies in a folder, or is it; by its parts, not through links. */
export function isPathInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The rule that file tools state for a path that is not absolute (A8.8) or that no file can have; else null. */
export function whyNotAbsolute(field: string, path: string, cwd: string): string | null {
  if (!path.isWellFormed())
    return `${field} has half a character in it (a lone surrogate), which no name of a file has. Write it without.`;
  if (isAbsolute(path)) return null;
  const rule = `${field} must be absolute, and ${JSON.stringify(path)} is not.`;
  return path.startsWith("~")
    ? `${rule} ~ is not expanded; write the home folder out.`
    : `${rule} You probably mean ${resolvePath(cwd, path)}.`;
}

/** A sentence for the model: what is wrong with this path, and what to try. */
export async function pathProblem(path: string, error: unknown): Promise<string> {
  switch (errorCode(error)) {
    case "ENOENT":
      return `${path} does not exist. ${await whatElse(path)}`;
    case "ENOTDIR":
      return `${path} does not exist: a part of it is a file, not a folder. Name the file itself.`;
    case "EACCES":
    case "EPERM":
      return `${path} cannot be read: permission denied. ${PASS_OVER}`;
    case "ELOOP":
      return `${path} cannot be read: its symbolic links go round in a circle. Name a file by its own path.`;
    case "ENAMETOOLONG":
      return `${path} cannot be read: the name is too long. Give a shorter one.`;
    case "ERR_INVALID_ARG_VALUE":
      return `${path} cannot be read: ${NO_NUL}`;
    case "EMFILE":
    case "ENFILE":
      return `${path} cannot be read now: too many files are open. Try again.`;
    default:
      return `${path} cannot be read: ${messageOf(error)}. ${PASS_OVER}`;
  }
}

/** What is left to do about a file that is there and cannot be had. */
export const PASS_OVER = "Go on without it, or report it.";
export const NO_NUL = "a path cannot contain a NUL character. Write it without.";

/** The words of an error, without the signs they end with. */
export function messageOf(error: unknown): string {
  return errorMessage(error).replace(/[\s.:;,]+$/, "");
}

async function whatElse(path: string): Promise<string> {
  const target = await readlink(path).catch(() => null);
  if (target !== null) return `It is a symbolic link to ${target}, which is not there. Name another file.`;
  const similar = await similarNames(path);
  if (similar.length > 0) return `Did you mean ${similar.join(" or ")}?`;
  return `The nearest folder that exists is ${await nearestFolder(path)}; look there with Glob.`;
}
