import { closeSync, fsync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { GitEnvironment, Repository } from "../environment.ts";
import { type Git, type GitOptions, parts } from "../git.ts";
import { mergeFolder, treesFolder } from "../layout.ts";
import { isRefused, lastLine, refused } from "../repository.ts";
import type { Refused } from "../requests.ts";
import { chunks } from "../side-index.ts";
import { makeTreesFolder } from "../trees-folder.ts";
import { lstatOf } from "./file-state.ts";
import { mergeDirName } from "./locate.ts";
import { withIndex } from "./own-index.ts";

/** A folder of this merge alone on the device of the checkout, as only there a file can be linked into it. */
export async function bytesFolder(repo: Repository, merge: string): Promise<{ bytes: string } | Refused> {
  const folder = mergeFolder(repo.common, merge);
  if (statSync(repo.common).dev === statSync(repo.top).dev) return { bytes: folder };
  const trees = await makeTreesFolder(repo);
  return trees ?? { bytes: join(treesFolder(repo.top), mergeDirName(merge)) };
}

/**
 * Git writes these files of a tree into an empty folder, as it would into a checkout: filters, line ends, rights,
 * links. The attributes that count are those of the tree.
 */
export async function stageFiles(
  repo: Repository,
  tree: string,
  paths: readonly string[],
  folder: string,
  ground: GitEnvironment,
): Promise<Refused | null> {
  mkdirSync(folder, { recursive: true });
  if (paths.length === 0) return null;
  const git = repo.git.at(folder);
  const done = await withIndex(repo, ground, async (index) => {
    const options = { index, gitDir: repo.gitDir };
    const begun = await indexOf(git, tree, paths, options);
    if (begun !== null) return begun;
    for (const some of chunks(paths, 500)) {
      const args = ["checkout-index", "--ignore-skip-worktree-bits", "--", ...some];
      const written = await git.run(args, options);
      if (written.code !== 0)
        return refused(`The merged files could not be made (git says: ${lastLine(written.err)}).`);
    }
    return null;
  });
  if (done !== null && isRefused(done)) return done;
  const missing = paths.find((path) => lstatOf(join(folder, path)) === null);
  if (missing !== undefined) return refused(`${missing} could not be made as git has it.`);
  await onDisk(paths.map((path) => join(folder, path)));
  return null;
}

/** Only of these files, and of the attributes that git goes by when it writes them. Null: done. */
async function indexOf(
  git: Git,
  tree: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Refused | null> {
  const listed = await git.run(["ls-tree", "-r", "-z", "--full-tree", tree], options);
  if (listed.code !== 0)
    return refused(`The merged files could not be listed (git says: ${lastLine(listed.err)}).`);
  const wanted = new Set(paths);
  const entries = parts(listed.out).flatMap((line) => {
    const tab = line.indexOf("\t");
    const path = line.slice(tab + 1);
    if (!wanted.has(path) && !/(^|\/)\.gitattributes$/.test(path)) return [];
    const [mode = "", , id = ""] = line.slice(0, tab).split(" ");
    return [["--cacheinfo", `${mode},${id},${path}`]];
  });
  for (const some of chunks(entries, 250)) {
    const args = ["-c", "core.splitIndex=false", "update-index", "--add", ...some.flat()];
    const put = await git.run(args, options);
    if (put.code !== 0)
      return refused(`The merged files could not be listed (git says: ${lastLine(put.err)}).`);
  }
  return null;
}

const AT_ONCE = 8;

/** After a loss of power they are whole, or not in the checkout. */
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
