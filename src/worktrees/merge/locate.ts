import { basename, dirname, join, sep } from "node:path";
import { mergeFolder, treesFolder } from "../layout.ts";
import { hasOwnTreesFolder } from "../trees-folder.ts";
import { commonFolder } from "../worktree-location.ts";

/**
 * Where a merge of this repository is at home. What lies in a repository may have been copied or moved with it, or be
 * somebody's invention: the folders that it names count only where they are the repository's own.
 */
export interface Home {
  /** The top folder of the checkout. */
  readonly top: string;
  readonly gitDir: string;
  /** Where its files are. */
  readonly bytes: string;
}

/** Null: the checkout that it was made in is none of this repository any more. */
export function locateMerge(
  common: string,
  merge: string,
  said: { readonly top: string; readonly gitDir: string; readonly bytes: string },
): Home | null {
  const { top, gitDir, bytes } = said;
  if (commonFolder(top) === common && isOfCommon(common, gitDir))
    return homeAt(common, merge, top, gitDir, bytes);
  // The main checkout is the folder that the git folder is in, wherever both have gone.
  const main = dirname(common);
  const wasMain = gitDir === join(top, ".git");
  return wasMain && commonFolder(main) === common ? homeAt(common, merge, main, common, bytes) : null;
}

/** The folder of a merge of which nothing else is known; null: it is not ours to touch. */
export function bytesOf(common: string, merge: string, said: string): string | null {
  if (said === mergeFolder(common, merge)) return said;
  const trees = dirname(said);
  const checkout = dirname(dirname(trees));
  const isOurs = basename(said) === mergeDirName(merge) && trees === treesFolder(checkout);
  return isOurs && commonFolder(checkout) === common && hasOwnTreesFolder(checkout) ? said : null;
}

/** The name of a merge's folder among the trees, where the git folder is on another disk than the checkout. */
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

/** Stays below the folder that it is taken from, and out of git's own. */
export function isSafeRelativePath(path: string): boolean {
  return path.split("/").every((name) => !["", ".", ".."].includes(name) && name.toLowerCase() !== ".git");
}
