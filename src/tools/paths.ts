import { opendir, readlink, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, parse, relative, resolve } from "node:path";
import { errorCode, errorMessage } from "../lib/errors.ts";
import { editDistance } from "../lib/near-name.ts";
import { isPathInside } from "../lib/paths.ts";

/** Returns the absolute path that a tool means. `~` is an ordinary name here. */
export function resolvePath(cwd: string, path: string | undefined): string {
  return resolve(cwd, path ?? ".");
}

/** Returns a path as results show it: relative if it is inside the working directory, because that is shorter. */
export function shownPath(cwd: string, path: string): string {
  const inside = relative(cwd, path);
  return inside !== "" && isPathInside(path, cwd) ? inside : path;
}

/** Returns why a path in the input is not absolute (A8.8) or not possible; null if it is fine. */
export function pathInputProblem(field: string, path: string, cwd: string): string | null {
  if (!path.isWellFormed())
    return `${field} has a lone surrogate in it, which a file name cannot have. Write it without.`;
  if (isAbsolute(path)) return null;
  const rule = `${field} must be absolute, and ${JSON.stringify(path)} is not.`;
  return path.startsWith("~")
    ? `${rule} ~ is not expanded; write out the home directory.`
    : `${rule} You probably mean ${resolvePath(cwd, path)}.`;
}

/** Returns what is wrong with this path and what to try. */
export async function pathProblem(path: string, error: unknown): Promise<string> {
  switch (errorCode(error)) {
    case "ENOENT":
      return `${path} does not exist. ${await suggestPath(path)}`;
    case "ENOTDIR":
      return `${path} does not exist: a part of it is a file, not a directory. Name the file itself.`;
    case "EACCES":
    case "EPERM":
      return `${path} cannot be read: permission denied. ${PASS_OVER}`;
    case "ELOOP":
      return `${path} cannot be read: its symbolic links form a circle. Name a file by its own path.`;
    case "ENAMETOOLONG":
      return `${path} cannot be read: the name is too long. Give a shorter one.`;
    case "ERR_INVALID_ARG_VALUE":
      return `${path} cannot be read: ${NO_NUL}`;
    case "EMFILE":
    case "ENFILE":
      return `${path} cannot be read now: too many files are open. Try again.`;
    default:
      return `${path} cannot be read: ${bareMessage(error)}. ${PASS_OVER}`;
  }
}

export const PASS_OVER = "Continue without it, or report it.";
export const NO_NUL = "a path cannot contain a NUL character. Write it without.";

/** Returns the message of an error without punctuation at its end. */
export function bareMessage(error: unknown): string {
  return errorMessage(error).replace(/[\s.:;,]+$/, "");
}

async function suggestPath(path: string): Promise<string> {
  const target = await readlink(path).catch(() => null);
  if (target !== null) return `It is a symbolic link to ${target}, which does not exist. Name another file.`;
  const similar = await similarNames(path);
  if (similar.length > 0) return `Did you mean ${similar.join(" or ")}?`;
  return `The nearest directory that exists is ${await nearestDirectory(path)}; look there with Glob.`;
}

const LOOKED_AT = 2_000;
const SUGGESTED = 3;

/** Returns paths in the same directory with a name close to the missing one, closest first. */
async function similarNames(path: string): Promise<string[]> {
  const dir = dirname(path);
  const wanted = basename(path);
  const found: { name: string; distance: number }[] = [];
  for (const name of await namesIn(dir)) {
    const distance = difference(wanted, name);
    if (distance <= Math.max(2, wanted.length / 4)) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, SUGGESTED).map(({ name }) => join(dir, name));
}

/** Returns the deepest part of the path that is a directory. */
async function nearestDirectory(path: string): Promise<string> {
  let dir = dirname(path);
  while (dir !== dirname(dir)) {
    const found = await stat(dir).catch(() => null);
    if (found?.isDirectory()) break;
    dir = dirname(dir);
  }
  return dir;
}

async function namesIn(dir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(dir)) {
      names.push(name);
      if (names.length >= LOOKED_AT) break;
    }
  } catch {
    // There is no such directory, or it cannot be read: nothing to suggest.
  }
  return names;
}

/** Returns the edits between two names; 0 if only the case differs, 1 if only the extension does. */
function difference(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return 0;
  if (parse(left).name === parse(right).name) return 1;
  return editDistance(left, right);
}
