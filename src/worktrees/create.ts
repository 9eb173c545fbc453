import { lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { advanceToBase, holdBase, LOST, notMade } from "./advance-base.ts";
import { type Base, baseOf } from "./base.ts";
import { dropBrokenEntries } from "./broken-entries.ts";
import { copyIgnored } from "./copy-ignored.ts";
import { discardWorktree } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { fillTree, submodulesOf } from "./fill.ts";
import { allThere } from "./gc-guard.ts";
import {
  baseRef,
  branchOf,
  ignoredRef,
  snapshotRef,
  TREE_NAME,
  treePath,
  treeRecordFolder,
} from "./layout.ts";
import { withLock } from "./lock.ts";
import { answered, bothEnded, checkoutAt, inSpiteOfGc, outputOf, refuse, refuseByGit } from "./refusal.ts";
import type { CreateAnswer, CreateRequest } from "./requests.ts";
import { type TreeRecord, writeRecord } from "./tree-record.ts";
import { makeTreesFolder, notIgnored } from "./trees-folder.ts";

/**
 * A tree of its own, from the checkout that `folder` is in: all of it is there, or nothing is. Rejects with the signal's
 * reason, once what was begun is taken back.
 */
export function createTree(
  request: CreateRequest,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<CreateAnswer> {
  return answered(async () => {
    const { name, folder } = request;
    if (!isTreeName(name))
      refuse(
        `${JSON.stringify(name)} is no name for a worktree: letters, digits, dots, underscores and dashes, at most 64, and git must take it as part of a branch's name.`,
      );
    return {
      type: "created",
      ...(await makeTree(request, await checkoutAt(folder, ground), false, ground, signal)),
    };
  });
}

/** `again`: its name is given again, to who goes on with it; what it had is in no need of a merge. */
export async function makeTree(
  request: CreateRequest,
  repo: Repository,
  again: boolean,
  ground: GitEnvironment,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: Worktree; readonly notes: string[] }> {
  return inSpiteOfGc(repo.common, ground, async () => {
    const ask = () => baseOf(repo, request.baseRef, ground, signal);
    const ahead = beginsAhead(request, repo, again);
    const first = ahead ?? (await ask());
    const record = recordOf(request, repo, first, ground);
    await withLock(repo.common, ground, () => begin(repo, record, again, ground), { signal });
    return finish(request, { repo, record, base: ahead === null ? async () => first : ask }, ground, signal);
  });
}

/** Most files of a checkout are as HEAD has them: they are written while it is looked at. Null: not without a look. */
function beginsAhead({ baseRef }: CreateRequest, { head }: Repository, again: boolean): Base | null {
  return baseRef === "checkout" && head !== null && !again ? { commit: head, notes: [] } : null;
}

/** As a segment of a branch's name, too. */
export function isTreeName(name: string): boolean {
  return TREE_NAME.test(name) && !name.includes("..") && !name.endsWith(".lock");
}

function recordOf(request: CreateRequest, repo: Repository, base: Base, ground: GitEnvironment): TreeRecord {
  const { name, owner } = request;
  const tree: Worktree = {
    ...{ name, path: treePath(repo.top, name), branch: branchOf(name), checkout: repo.top },
    ...{ base: base.commit, head: repo.head },
  };
  return { owner, tree, at: ground.now(), made: false, maker: ground.self, linked: [], result: null };
}

/** The empty tree. One at a time: parallel ones read each other's half-written files in `.git/worktrees`. */
async function begin(
  repo: Repository,
  record: TreeRecord,
  again: boolean,
  ground: GitEnvironment,
): Promise<void> {
  // Not before the lock is held: who removes the last tree removes the folder, too.
  await makeTreesFolder(repo);
  await dropBrokenEntries(repo, ground);
  await refuseTaken(repo, record.tree, again);
  if (again) await continueChain(repo, record.tree);
  try {
    // The record comes first: whatever is there from now on has an owner (C13).
    await writeRecord(repo.common, record.tree.name, record);
    await addEmpty(repo, record.tree, again, ground);
  } catch (error) {
    await discardWorktree(repo, record);
    throw error;
  }
}

async function addEmpty(
  repo: Repository,
  tree: Worktree,
  again: boolean,
  ground: GitEnvironment,
): Promise<void> {
  const { name, path, branch, base } = tree;
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), notMade(tree));
  await said(["update-ref", baseRef(name), base, ...(again ? [] : [""])]);
  // A `git gc --prune=now` takes what no ref held yet.
  if (base !== repo.head && repo.head !== null) {
    const isThere = await allThere(repo.git.run, repo.common, base, repo.head, [], ground);
    if (!isThere) refuseByGit(`${notMade(tree)}: ${LOST}`);
  }
  await said(["worktree", "add", "--no-checkout", "--no-track", "-b", branch, path, base]);
}

/** What was snapshotted before stays below what will be: one that is as the new base, so nothing passes for an edit. */
async function continueChain(repo: Repository, tree: Worktree): Promise<void> {
  const { name, base } = tree;
  const ref = snapshotRef(name);
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), notMade(tree)).trim();
  const snapshot = await said(["for-each-ref", "--format=%(objectname)", ref]);
  if (snapshot === "") return;
  for (const file of ["index", "heads"])
    await rm(join(treeRecordFolder(repo.common, name), file), { force: true });
  const words = `${name} begins anew`;
  const made = await said(["commit-tree", `${base}^{tree}`, "-p", snapshot, "-p", base, "-m", words]);
  await said(["update-ref", ref, made, snapshot]);
}

/** A name is for one tree for ever: its snapshots outlive it. */
async function refuseTaken(
  repo: Repository,
  { name, path, branch }: Worktree,
  again: boolean,
): Promise<void> {
  const choose = "choose another name.";
  if (await isThere(path)) refuse(`${path} is there already; ${choose}`);
  if (!again && (await isThere(treeRecordFolder(repo.common, name))))
    refuse(`There was a worktree ${name} in this repository before, and its edits are kept; ${choose}`);
  const ours = again ? [] : [baseRef(name), snapshotRef(name), ignoredRef(name)];
  const refs = [`refs/heads/${branch}`, ...ours];
  const { out } = await repo.git.run(["for-each-ref", "--format=%(refname)", ...refs]);
  const [ref] = out.split("\n");
  if (!ref) return;
  refuse(
    ref.startsWith("refs/heads/")
      ? `There is a branch ${ref.slice("refs/heads/".length)} already; ${choose}`
      : `There was a worktree ${name} in this repository before (${ref}); ${choose}`,
  );
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}

/** A tree that is empty yet. */
interface Begun {
  readonly repo: Repository;
  readonly record: TreeRecord;
  /** What it is to begin from, if that is known. */
  base(): Promise<Base>;
}

/** The files, which trees that are made at once write side by side. */
async function finish(
  request: CreateRequest,
  { repo, record, base: ask }: Begun,
  ground: GitEnvironment,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: Worktree; readonly notes: string[] }> {
  try {
    const git = repo.git.at(record.tree.path);
    const [filled, base] = await bothEnded(
      fillTree(git, record.tree.base, signal),
      ask().then(async (found) => {
        await holdBase(repo, record.tree, found.commit, ground);
        return found;
      }),
    );
    const more = await advanceToBase({ tree: record.tree, git, to: base.commit }, signal);
    const tree = { ...record.tree, base: base.commit };
    const along = await copyIgnored({ repo, tree, git, dependencies: request.dependencies, signal });
    const shown = await notIgnored(repo, tree.path);
    const left = await submodulesOf(git);
    signal?.throwIfAborted();
    const done = { tree, at: ground.now(), made: true, linked: [...along.linked] };
    await writeRecord(repo.common, tree.name, { ...record, ...done });
    const notes = [
      ...base.notes,
      ...new Set([...filled, ...more]),
      ...along.notes,
      ...left,
      ...(shown === null ? [] : [shown]),
    ];
    return { tree, notes };
  } catch (error) {
    await withLock(repo.common, ground, () => discardWorktree(repo, record));
    throw error;
  }
}
