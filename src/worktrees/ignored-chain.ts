import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment } from "./environment.ts";
import { isConnected } from "./gc-guard.ts";
import { parts } from "./git.ts";
import { ignoredRef } from "./layout.ts";
import { lastLine } from "./refusal.ts";
import { openSideIndex, type SideIndex, sideIndexFile } from "./side-index.ts";
import type { TreeGit, TreePlace } from "./worktree-location.ts";

/**
 * Commits ignored files that were written by name, and files in submodule directories, on a chain of their own: they
 * are never merged and never lost. If `named` is null, updates only files already in the chain; a snapshot of the whole
 * worktree always does. Returns notes.
 */
export async function keepIgnored(
  git: TreeGit,
  place: TreePlace,
  tree: Worktree,
  named: readonly string[] | null,
  mayBe: boolean,
  ground: GitEnvironment,
): Promise<string[]> {
  const others = (mayBe && (await ofSubmodules(git, place, tree))) || [];
  const asked = named !== null && mayBe ? named.filter((path) => !others.includes(path)) : [];
  const there = asked.filter(
    (path) => lstatSync(join(tree.path, path), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  const ignored = [...(await ignoredOf(git, sideIndexFile(place, tree, "index"), there)), ...others];
  const has = existsSync(sideIndexFile(place, tree, "ignored"));
  if (ignored.length === 0 && !(has && (named === null || mayBe))) return [];

  let failed = "";
  for (const afresh of [false, true]) {
    const index = openSideIndex(place, tree, "ignored", ground);
    try {
      const said = await addAndCommit(git, index, tree, ignored, afresh);
      if (said === null) index.keep();
      if (said === null) return [];
      failed = said;
    } finally {
      index.drop();
    }
  }
  return [`Ignored files are not in the snapshot: ${failed}.`];
}

/** Few repositories have any, and the check reads every entry. */
async function ofSubmodules(git: TreeGit, place: TreePlace, tree: Worktree): Promise<string[] | null> {
  if (!existsSync(join(tree.path, ".gitmodules"))) return null;
  return submoduleFiles(git, sideIndexFile(place, tree, "index"), tree);
}

/** Returns git's error. `afresh`: rereads every file, as objects may have been dropped. */
async function addAndCommit(
  git: TreeGit,
  { file: index, drop, forgetRecent }: SideIndex,
  tree: Worktree,
  paths: readonly string[],
  afresh: boolean,
): Promise<string | null> {
  if (afresh) drop();
  if (afresh) await git(["read-tree", ignoredRef(tree.name)], { index });
  const known = await git(["add", "-u", "--sparse", "--ignore-errors", "--", "."], { index });
  if (known.code > 1) return lastLine(known.err);
  if (paths.length > 0) {
    const args = ["--literal-pathspecs", "add", "-f", "--sparse", "--ignore-errors", "--", ...paths];
    const added = await git(args, { index });
    if (added.code !== 0) return lastLine(added.err);
  }
  forgetRecent();
  const made = await git(["write-tree"], { index });
  if (made.code !== 0) return lastLine(made.err);
  return commit(git, tree, made.out.trim());
}

async function commit(git: TreeGit, tree: Worktree, root: string): Promise<string | null> {
  const ref = ignoredRef(tree.name);
  const { out } = await git(["rev-parse", "--revs-only", `${ref}^{commit}`, `${ref}^{tree}`]);
  const [before, was] = out.split("\n").filter((line) => line !== "");
  if (was === root) return null;
  const parent = before === undefined ? [] : ["-p", before];
  const made = await git(["commit-tree", root, ...parent, "-m", `Ignored files of ${tree.name}`]);
  if (made.code !== 0) return lastLine(made.err);
  const id = made.out.trim();
  const moved = await git(["update-ref", ref, id, before ?? "0".repeat(id.length)]);
  if (moved.code !== 0) return lastLine(moved.err);
  const isWhole = await isConnected(git, id, before ?? tree.base);
  return isWhole ? null : "objects were removed while it was taken";
}

/** Asks git which of them it ignores. */
async function ignoredOf(git: TreeGit, index: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const args = ["--literal-pathspecs", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--", ...paths];
  const { code, out } = await git(args, { index });
  return code === 0 ? parts(out) : [];
}

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
