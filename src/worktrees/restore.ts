import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import type { Worktree } from "../mailbox/worktree.ts";
import { dropBrokenEntries } from "./broken-entries.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { finishRemoval } from "./finish-removal.ts";
import { type KnownTree, knownTree } from "./known-trees.ts";
import { baseRef, branchOf, treePath, treeRecordFolder } from "./layout.ts";
import { listedTrees } from "./listed-trees.ts";
import { withLock } from "./lock.ts";
import { isBeingRemoved, markRemoval, unmarkRemoval } from "./removal-mark.ts";
import { isRefused, lastLine, refused, repositoryAt } from "./repository.ts";
import type { NamedRequest, Refused, RestoreAnswer } from "./requests.ts";
import { openSideIndex } from "./side-index.ts";
import { writeRecord } from "./tree-record.ts";
import { makeTreesFolder } from "./trees-folder.ts";
import { gitOn, locateWorktree, type TreeGit } from "./worktree-location.ts";

type Restored = z.infer<typeof RestoreAnswer>;

/** All that a tree held last is there again, in its place and on its branch, uncommitted as it was. */
export async function restoreTree(
  { folder, name }: z.infer<typeof NamedRequest>,
  ground: GitEnvironment,
): Promise<Restored> {
  const repo = await repositoryAt(folder, ground);
  if (isRefused(repo)) return repo;
  return withLock(repo.common, ground, () => restoreUnderLock(repo, name, ground));
}

/** For who has the repository's lock already. */
export async function restoreUnderLock(
  repo: Repository,
  name: string,
  ground: GitEnvironment,
): Promise<Restored> {
  await dropBrokenEntries(repo, ground);
  const known = await knownTree(repo, name);
  if ("type" in known) return known;
  if (known.record !== null && isBeingRemoved(repo.common, name)) {
    const finished = await finishRemoval(repo, known.record);
    if (finished.type === "refused") return finished;
  }
  const tree = treeOf(repo, known);
  if ("type" in tree) return tree;
  const way = await makeWay(repo, tree);
  if (way !== null) return way;
  // Until all of it is there, what stands there is nothing that anybody wrote: a death in between is a removal.
  markRemoval(repo.common, name, known.snapshot ?? tree.base);
  const failed = (await addTree(repo, tree)) ?? (await fill(tree, known, ground));
  if (failed !== null) {
    if (known.record !== null) await finishRemoval(repo, known.record);
    return failed;
  }
  if (known.record !== null)
    await writeRecord(repo.common, name, { ...known.record, tree, made: true, result: null });
  unmarkRemoval(repo.common, name);
  return { type: "restored", path: tree.path, branch: tree.branch };
}

function treeOf(repo: Repository, { name, record, base }: KnownTree): Worktree | Refused {
  if (record !== null) return record.tree;
  if (base === null)
    return refused(`What ${name} began from is not known any more, so it cannot be put back.`);
  const checkout = repo.top;
  return { name, path: treePath(checkout, name), branch: branchOf(name), checkout, base, head: null };
}

/** Null: nothing is in the way by now. Of a folder that somebody deleted git still has an entry: ours alone goes. */
async function makeWay(repo: Repository, tree: Worktree): Promise<Refused | null> {
  if (lstatSync(tree.path, { throwIfNoEntry: false }) !== undefined)
    return refused(`Something is at ${tree.path}; move it away first.`);
  const listed = await listedTrees(repo);
  if (isRefused(listed)) return listed;
  const branch = `refs/heads/${tree.branch}`;
  const other = listed.find((one) => one.path !== tree.path && one.branch === branch);
  if (other !== undefined) return refused(`${tree.branch} is checked out in ${other.path}.`);
  if (listed.some(({ path }) => path === tree.path))
    await repo.git.run(["worktree", "remove", "--force", tree.path]);
  for (const file of ["index", "heads"])
    rmSync(join(treeRecordFolder(repo.common, tree.name), file), { force: true });
  return null;
}

/** On its branch as it is, else on its base. */
async function addTree(repo: Repository, tree: Worktree): Promise<Refused | null> {
  const folder = await makeTreesFolder(repo);
  if (folder !== null) return folder;
  const { code } = await repo.git.run(["rev-parse", "-q", "--verify", `refs/heads/${tree.branch}`]);
  const what =
    code === 0 ? [tree.path, tree.branch] : ["--no-track", "-b", tree.branch, tree.path, tree.base];
  const added = await repo.git.run(["worktree", "add", "--no-checkout", ...what]);
  if (added.code !== 0)
    return refused(`${tree.path} could not be made again (git says: ${lastLine(added.err)}).`);
  await repo.git.run(["update-ref", baseRef(tree.name), tree.base]);
  return null;
}

/** The files of both chains; then the index forgets them, as what an agent wrote was not staged either. */
async function fill(
  tree: Worktree,
  { snapshot, ignored }: KnownTree,
  ground: GitEnvironment,
): Promise<Refused | null> {
  const place = locateWorktree(tree);
  if ("type" in place) return place;
  const git = gitOn(tree, place, ground);
  const said = await firstFailure(git, [
    ["read-tree", "--reset", "-u", snapshot ?? tree.base],
    ["reset", "-q", "--mixed"],
  ]);
  if (said !== null) return refused(`The files of ${tree.name} could not be put back (git says: ${said}).`);
  if (ignored === null) return null;
  const { file: index, drop } = openSideIndex(place, tree, "staged", ground);
  try {
    const failed = await firstFailure(
      git,
      [
        ["read-tree", ignored],
        ["checkout-index", "-a"],
      ],
      index,
    );
    return failed === null
      ? null
      : refused(`The ignored files of ${tree.name} could not be put back (git says: ${failed}).`);
  } finally {
    drop();
  }
}

async function firstFailure(
  git: TreeGit,
  commands: readonly string[][],
  index?: string,
): Promise<string | null> {
  for (const args of commands) {
    const { code, err } = await git(args, index === undefined ? {} : { index });
    if (code !== 0) return lastLine(err);
  }
  return null;
}
