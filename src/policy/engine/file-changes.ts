import { basename, join, resolve } from "node:path";
import { isDirectory } from "../../lib/on-disk.ts";
import type { ShellWord } from "../shell/script.ts";
import type { FileWork } from "../shell/uses.ts";
import type { Whereabouts } from "./directories.ts";
import { type FileAccess, lookBelow } from "./file-access.ts";

/**
 * Returns why cp or mv may not put its sources at the target (§5.8): the created names, and the content of a directory.
 */
export function placedProblem(
  { name, placed }: FileWork,
  writes: readonly ShellWord[],
  { folders }: Whereabouts,
  files: FileAccess,
): string | null {
  if (name === "rm") return removalProblem(writes, folders, files);
  if (placed === null) return null;
  for (const dir of folders) {
    for (const { value: source } of placed.sources) {
      const inside = directoryProblem(name, source, dir, files);
      if (inside !== null) return inside;
      for (const { value: target } of placed.into) {
        // The target may also be the name created in it.
        const made = join(target, basename(resolve(dir, source)));
        const { protects, deny, inside, paths } = files.judge("edit", made, dir);
        if ((protects === null && !deny && inside) || !isDirectory(resolve(dir, target))) continue;
        if (protects !== null) return `${target} would get ${protects}, which is protected`;
        return deny ? `the rule ${deny.text} denies it` : `${paths.at(-1)} is outside the workspace`;
      }
    }
  }
  return null;
}

/** Removing a directory removes its content: a repository, a file that a rule restricts. */
function removalProblem(
  written: readonly ShellWord[],
  folders: readonly string[],
  files: FileAccess,
): string | null {
  const paths = written.map(({ value }) => value);
  for (const dir of folders) {
    for (const path of paths.filter((one) => isDirectory(resolve(dir, one)))) {
      const rule = files.findRestricted(resolve(dir, path));
      if (rule !== null) return `${path} may have a file in it that the rule ${rule.text} restricts`;
      const kept = findProtected(resolve(dir, path), dir, files);
      if (kept !== null) return `${kept} would be removed, which is protected`;
    }
  }
  return null;
}

/**
 * Finds a protected name below a directory, within the limit of a search: larger directories are mostly made by
 * programs.
 */
function findProtected(path: string, dir: string, files: FileAccess): string | null {
  let found: string | null = null;
  lookBelow(path, (one) => {
    if (files.judge("edit", one, dir).protects !== null) found = one;
    return found !== null;
  });
  return found;
}

/** A directory is moved with its content: a protected name, a link, a file that a rule denies. */
function directoryProblem(name: string, source: string, dir: string, files: FileAccess): string | null {
  const path = resolve(dir, source);
  if (!isDirectory(path)) return null;
  let why: string | null = null;
  const found = lookBelow(path, (one, entry) => {
    if (entry === null) return false;
    const { deny, ask, protects } = files.judge("edit", one, dir);
    const read = files.judge("read", one, dir);
    const rule = deny ?? ask ?? read.deny ?? read.ask;
    if (entry.isSymbolicLink()) why = `${name} would take the link ${one} along`;
    else if (protects !== null) why = `${name} would take ${one} along, which is protected (${protects})`;
    else if (rule) why = `${name} would take ${one} along, which the rule ${rule.text} restricts`;
    return why !== null;
  });
  return found ? (why ?? `${source} has more in it than is looked at`) : null;
}
