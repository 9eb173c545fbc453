import { closeSync, fsync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { GitEnvironment, Repository } from "../environment.ts";
import { type Git, type GitOptions, parts } from "../git.ts";
import { mergeFolder, treesFolder } from "../layout.ts";
import { withIndex } from "../own-index.ts";
import { outputOf, refuseRequest } from "../refusal.ts";
import { chunks } from "../side-index.ts";
import { makeTreesFolder } from "../trees-folder.ts";
import { lstatOf } from "./file-state.ts";
import { mergeDirName } from "./locate.ts";

/** Makes a directory of this merge alone on the device of the checkout: files can be linked only there. */
export async function bytesFolder(repo: Repository, merge: string): Promise<string> {
  if (statSync(repo.common).dev === statSync(repo.top).dev) return mergeFolder(repo.common, merge);
  await makeTreesFolder(repo);
  return join(treesFolder(repo.top), mergeDirName(merge));
}

/**
 * Lets git write these files of a tree into an empty directory as into a checkout: filters, line ends, permissions,
 * links. The attributes of the tree apply.
 */
export async function stageFiles(
  repo: Repository,
  tree: string,
  paths: readonly string[],
  folder: string,
  ground: GitEnvironment,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  if (paths.length === 0) return;
  const git = repo.git.at(folder);
  await withIndex(repo, ground, async (index) => {
    const options = { index, gitDir: repo.gitDir };
    await indexOf(git, tree, paths, options);
    for (const some of chunks(paths, 500)) {
      const args = ["checkout-index", "--ignore-skip-worktree-bits", "--", ...some];
      outputOf(await git.run(args, options), "The merged files could not be made");
    }
  });
  const missing = paths.find((path) => lstatOf(join(folder, path)) === null);
  if (missing !== undefined) refuseRequest(`${missing} could not be made as git has it.`);
  await onDisk(paths.map((path) => join(folder, path)));
}

/** Builds an index of these files and of the attributes that git needs to write them. */
async function indexOf(git: Git, tree: string, paths: readonly string[], options: GitOptions): Promise<void> {
  const listed = await git.run(["ls-tree", "-r", "-z", "--full-tree", tree], options);
  const wanted = new Set(paths);
  const entries = parts(outputOf(listed, NOT_LISTED)).flatMap((line) => {
    const tab = line.indexOf("\t");
    const path = line.slice(tab + 1);
    if (!wanted.has(path) && !/(^|\/)\.gitattributes$/.test(path)) return [];
    const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
    return [["--cacheinfo", `${mode},${id},${path}`]];
  });
  for (const some of chunks(entries, 250)) {
    const args = ["-c", "core.splitIndex=false", "update-index", "--add", ...some.flat()];
    outputOf(await git.run(args, options), NOT_LISTED);
  }
}

const NOT_LISTED = "The merged files could not be listed";

const AT_ONCE = 8;

/** After a power failure they are complete, or not in the checkout. */
async function onDisk(files: readonly string[]): Promise<void> {
  for (const some of chunks(files, AT_ONCE)) await Promise.all(some.map(synced));
}

async function synced(file: string): Promise<void> {
  if (lstatOf(file)?.isFile() !== true) return;
  const opened = openSync(file, "r");
  try {
    await promisify(fsync)(opened);
  } finally {
    closeSync(opened);
  }
}
