import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { dropBrokenEntries, finishRemoval } from "./finish-removal.ts";
import { type KnownTree, knownTree, listedTrees } from "./known-trees.ts";
import { baseRef, newTree, treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { GitRefusal, outputOf, refuseRequest } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { openSideIndex } from "./side-index.ts";
import { isBeingRemoved, markRemoval, unmarkRemoval, writeRecord } from "./tree-record.ts";
import { makeTreesFolder } from "./trees-folder.ts";
import { gitOn, locateWorktree } from "./worktree-location.ts";

type Restored = SuccessOf<"restore">;

/** Restores the last content of a worktree at its path and on its branch, uncommitted as it was. */
export async function restoreTree(
  { folder, name }: GitRequest<"restore">,
  ground: GitEnvironment,
): Promise<Restored> {
  const repo = await repositoryAt(folder, ground);
  return withLock(repo.common, ground, () => restoreUnderLock(repo, name, ground));
}

/** For callers that hold the repository's lock. */
export async function restoreUnderLock(
  repo: Repository,
  name: string,
  ground: GitEnvironment,
): Promise<Restored> {
  await dropBrokenEntries(repo, ground);
  const known = await knownTree(repo, name);
  if (known.record !== null && isBeingRemoved(repo.common, name)) await finishRemoval(repo, known.record);
  const tree = treeOf(repo, known);
  await makeWay(repo, tree);
  // Until it is complete, its content is not an agent's work: a crash in between counts as a removal.
  markRemoval(repo.common, name, known.snapshot ?? tree.base);
  try {
    await addTree(repo, tree);
    await fill(tree, known, ground);
  } catch (error) {
    if (error instanceof GitRefusal && known.record !== null) await finishRemoval(repo, known.record);
    throw error;
  }
  if (known.record !== null) {
    const { deferred: _, ...record } = known.record;
    await writeRecord(repo.common, name, { ...record, tree, made: true, result: null });
  }
  unmarkRemoval(repo.common, name);
  return { type: "restored", path: tree.path, branch: tree.branch };
}

function treeOf(repo: Repository, { name, record, base }: KnownTree): Worktree {
  if (record !== null) return record.tree;
  if (base === null) refuseRequest(`The base of ${name} is no longer known, so it cannot be restored.`);
  return newTree(repo.top, name, base, null);
}

/** Git still has an entry for a deleted directory; remove only ours. */
async function makeWay(repo: Repository, tree: Worktree): Promise<void> {
  if (lstatSync(tree.path, { throwIfNoEntry: false }) !== undefined)
    refuseRequest(`Something is at ${tree.path}; move it away first.`);
  const listed = await listedTrees(repo);
  const branch = `refs/heads/${tree.branch}`;
  const other = listed.find((one) => one.path !== tree.path && one.branch === branch);
  if (other !== undefined) refuseRequest(`${tree.branch} is checked out in ${other.path}.`);
  if (listed.some(({ path }) => path === tree.path))
    await repo.git.run(["worktree", "remove", "--force", tree.path]);
  for (const file of ["index", "heads"])
    rmSync(join(treeRecordFolder(repo.common, tree.name), file), { force: true });
}

/** Adds the worktree on its branch as it is, else on its base. */
async function addTree(repo: Repository, tree: Worktree): Promise<void> {
  await makeTreesFolder(repo);
  const { code } = await repo.git.run(["rev-parse", "-q", "--verify", `refs/heads/${tree.branch}`]);
  const what =
    code === 0 ? [tree.path, tree.branch] : ["--no-track", "-b", tree.branch, tree.path, tree.base];
  const added = await repo.git.run(["worktree", "add", "--no-checkout", ...what]);
  outputOf(added, `${tree.path} could not be made again`);
  await repo.git.run(["update-ref", baseRef(tree.name), tree.base]);
}

/** Writes the files of both chains, then clears the index, as the agent's edits were not staged either. */
async function fill(tree: Worktree, { snapshot, ignored }: KnownTree, ground: GitEnvironment): Promise<void> {
  const place = locateWorktree(tree);
  const git = gitOn(tree, place, ground);
  for (const args of [
    ["read-tree", "--reset", "-u", snapshot ?? tree.base],
    ["reset", "-q", "--mixed"],
  ])
    outputOf(await git(args), `The files of ${tree.name} could not be put back`);
  if (ignored === null) return;
  const { file: index, drop } = openSideIndex(place, tree, "staged", ground);
  try {
    for (const args of [
      ["read-tree", ignored],
      ["checkout-index", "-a"],
    ])
      outputOf(await git(args, { index }), `The ignored files of ${tree.name} could not be put back`);
  } finally {
    drop();
  }
}
