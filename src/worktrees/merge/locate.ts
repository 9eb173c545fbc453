import { basename, dirname, join, sep } from "node:path";
import { mergeFolder, treesFolder } from "../layout.ts";
import { hasOwnTreesFolder } from "../trees-folder.ts";
import { commonFolder } from "../worktree-location.ts";

/**
 * The directories of a merge. Data in a repository may have been copied or moved with it, or be forged: recorded
 * directories count only if they are the repository's own.
 */
export interface Home {
  /** The top directory of the checkout. */
  readonly top: string;
  readonly gitDir: string;
  /** Where its files are. */
  readonly bytes: string;
}

/** Returns null if its checkout no longer belongs to this repository. */
export function locateMerge(
  common: string,
  merge: string,
  said: { readonly top: string; readonly gitDir: string; readonly bytes: string },
): Home | null {
  const { top, gitDir, bytes } = said;
  if (commonFolder(top) === common && isOfCommon(common, gitDir))
    return homeAt(common, merge, top, gitDir, bytes);
  // The main checkout contains the git directory, even after both moved.
  const main = dirname(common);
  const wasMain = gitDir === join(top, ".git");
  return wasMain && commonFolder(main) === common ? homeAt(common, merge, main, common, bytes) : null;
}

/** Returns the directory of an otherwise unknown merge, or null if it must not be touched. */
export function bytesOf(common: string, merge: string, said: string): string | null {
  if (said === mergeFolder(common, merge)) return said;
  const trees = dirname(said);
  const checkout = dirname(dirname(trees));
  const isOurs = basename(said) === mergeDirName(merge) && trees === treesFolder(checkout);
  return isOurs && commonFolder(checkout) === common && hasOwnTreesFolder(checkout) ? said : null;
}

/**
 * Returns the name of a merge's directory among the worktrees, for a git directory on another disk than the checkout.
 */
export function mergeDirName(merge: string): string {
  return `.merge-${merge}`;
}

function homeAt(common: string, merge: string, top: string, gitDir: string, bytes: string): Home | null {
  if (basename(bytes) !== mergeDirName(merge)) return { top, gitDir, bytes: mergeFolder(common, merge) };
  return hasOwnTreesFolder(top) ? { top, gitDir, bytes: join(treesFolder(top), mergeDirName(merge)) } : null;
}

function isOfCommon(common: string, gitDir: string): boolean {
  return gitDir === common || dirname(gitDir) === `${common}${sep}worktrees`;
}

/** True if the path stays below its root and out of git's directory. */
export function isSafeRelativePath(path: string): boolean {
  return path.split("/").every((name) => !["", ".", ".."].includes(name) && name.toLowerCase() !== ".git");
}
