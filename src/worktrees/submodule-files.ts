import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import { parts } from "./git.ts";
import type { TreeGit } from "./worktree-location.ts";

/**
 * Returns the files in directories of submodules that are not checked out, as in every worktree: git neither sees nor
 * adds them. Returns null if git fails.
 */
export async function submoduleFiles(git: TreeGit, index: string, tree: Worktree): Promise<string[] | null> {
  const listed = await git(["ls-files", "-s", "-z"], { index });
  if (listed.code !== 0) return null;
  const folders = parts(listed.out).flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
  const open = folders.filter((folder) => isPlainFolder(join(tree.path, folder)));
  if (open.length === 0) return [];
  // With an empty index they are ordinary directories.
  const found = await git(["--literal-pathspecs", "ls-files", "-z", "-o", "--", ...open], {
    index: `${index}.none`,
  });
  // Only a nested repository ends in a slash.
  return found.code === 0 ? parts(found.out).filter((path) => !path.endsWith("/")) : null;
}

function isPlainFolder(path: string): boolean {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && !existsSync(join(path, ".git"));
}
