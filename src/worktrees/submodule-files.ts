import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import { parts } from "./git.ts";
import type { TreeGit } from "./worktree-location.ts";

/**
 * Files in folders of submodules that are not checked out, as no tree has them: git looks at none of these, and adds
 * none. Null: git does not say.
 */
export async function submoduleFiles(git: TreeGit, index: string, tree: Worktree): Promise<string[] | null> {
  const listed = await git(["ls-files", "-s", "-z"], { index });
  if (listed.code !== 0) return null;
  const folders = parts(listed.out).flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
  const open = folders.filter((folder) => isPlainFolder(join(tree.path, folder)));
  if (open.length === 0) return [];
  // In an index with nothing in it they are folders like others.
  const found = await git(["--literal-pathspecs", "ls-files", "-z", "-o", "--", ...open], {
    index: `${index}.none`,
  });
  // Only what is a repository of its own ends in a slash.
  return found.code === 0 ? parts(found.out).filter((path) => !path.endsWith("/")) : null;
}

function isPlainFolder(path: string): boolean {
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && !existsSync(join(path, ".git"));
}
