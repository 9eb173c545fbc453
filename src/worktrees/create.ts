import { rm } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { advanceToBase, baseOf, holdBase, holdNewBase, notMade } from "./base.ts";
import { copyIgnored } from "./copy-ignored.ts";
import { discardWorktree } from "./discard.ts";
import type { Base, GitEnvironment, Repository } from "./environment.ts";
import { fillTree, submodulesOf } from "./fill.ts";
import { dropBrokenEntries } from "./finish-removal.ts";
import { baseRef, ignoredRef, newTree, snapshotRef, TREE_NAME, treeRecordFolder } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { GitRequest, SuccessOf } from "./protocol.ts";
import { bothEnded, outputOf, refuseRequest, retryAfterGc } from "./refusal.ts";
import { repositoryAt } from "./repository.ts";
import { type TreeRecord, writeRecord } from "./tree-record.ts";
import { makeTreesFolder, notIgnored } from "./trees-folder.ts";

/**
 * Makes a worktree from the checkout that contains `folder`, wholly or not at all. Rejects with the signal's reason
 * after it has undone what it had started.
 */
export async function createTree(
  request: GitRequest<"create">,
  ground: GitEnvironment,
): Promise<SuccessOf<"create">> {
  assertTreeName(request.name);
  const repo = await repositoryAt(request.folder, ground);
  return { type: "created", ...(await makeTree(request, repo, false, ground)) };
}

/** `again`: the name is reused by a resumed actor; what it had needs no merge. */
export async function makeTree(
  request: GitRequest<"create">,
  repo: Repository,
  again: boolean,
  ground: GitEnvironment,
): Promise<{ readonly tree: Worktree; readonly notes: string[] }> {
  return retryAfterGc(repo.common, ground, async () => {
    // Before the lock, which each gets at another time: those that start together share one look.
    const base = baseOf(repo, request, ground);
    base.catch(() => {});
    const first = beginsAhead(request, repo, again) ?? (await base);
    const record = newRecord(request, repo, first, ground);
    await withLock(repo.common, ground, () => beginTree(repo, record, again, ground));
    return finishTree(request, { repo, record, base }, ground);
  });
}

/**
 * Most files of a checkout match HEAD, so they are written while the rest is compared. Returns null if the base must be
 * known first.
 */
function beginsAhead({ baseRef }: GitRequest<"create">, { head }: Repository, again: boolean): Base | null {
  return baseRef === "checkout" && head !== null && !again ? { commit: head, notes: [] } : null;
}

export function assertTreeName(name: string): void {
  if (!isTreeName(name))
    refuseRequest(
      `${JSON.stringify(name)} is no name for a worktree: letters, digits, dots, underscores and dashes, at most 64, and git must take it as part of a branch's name.`,
    );
}

/** True if the name is also valid as a segment of a branch name. */
export function isTreeName(name: string): boolean {
  return TREE_NAME.test(name) && !name.includes("..") && !name.endsWith(".lock");
}

export function newRecord(
  request: GitRequest<"create">,
  repo: Repository,
  base: Base,
  ground: GitEnvironment,
): TreeRecord {
  const { name, owner, travels } = request;
  const tree = newTree(repo.top, name, base.commit, repo.head);
  const own = { owner, tree, at: ground.now(), made: false, maker: ground.self, linked: [], result: null };
  return travels ? { ...own, travels } : own;
}

/** Adds an empty worktree. One at a time: parallel ones read each other's half-written files in `.git/worktrees`. */
export async function beginTree(
  repo: Repository,
  record: TreeRecord,
  again: boolean,
  ground: GitEnvironment,
): Promise<void> {
  // Not before the lock is held: the removal of the last worktree removes this directory, too.
  await makeTreesFolder(repo);
  await dropBrokenEntries(repo, ground);
  await refuseTaken(repo, record.tree, again);
  // What was deferred has no snapshots, and a ref on its base.
  const isDeferred = record.deferred !== undefined;
  if (again && !isDeferred) await continueChain(repo, record.tree);
  try {
    // Write the record first, so that everything made from now on has an owner (C13).
    await writeRecord(repo.common, record.tree.name, record);
    if (!isDeferred) await holdNewBase(repo, record.tree, again, ground);
    await addEmpty(repo, record.tree);
  } catch (error) {
    await discardWorktree(repo, record);
    throw error;
  }
}

async function addEmpty({ git }: Repository, tree: Worktree): Promise<void> {
  const { path, branch, base } = tree;
  const add = ["worktree", "add", "--no-checkout", "--no-track", "-b", branch, path, base];
  outputOf(await git.run(add), notMade(tree));
}

/**
 * Continues the snapshot chain on top of the old one with a snapshot equal to the new base, so that nothing looks like
 * an edit.
 */
async function continueChain(repo: Repository, tree: Worktree): Promise<void> {
  const { name, base } = tree;
  const ref = snapshotRef(name);
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), notMade(tree)).trim();
  const snapshot = await said(["for-each-ref", "--format=%(objectname)", ref]);
  if (snapshot === "") return;
  for (const file of ["index", "heads"])
    await rm(join(treeRecordFolder(repo.common, name), file), { force: true });
  const words = `${name} starts again`;
  const made = await said(["commit-tree", `${base}^{tree}`, "-p", snapshot, "-p", base, "-m", words]);
  await said(["update-ref", ref, made, snapshot]);
}

/** A name belongs to one worktree forever: its snapshots outlive it. */
export async function refuseTaken(
  repo: Repository,
  { name, path, branch }: Worktree,
  again: boolean,
): Promise<void> {
  const choose = "choose another name.";
  if (exists(path)) refuseRequest(`${path} is there already; ${choose}`);
  if (!again && exists(treeRecordFolder(repo.common, name)))
    refuseRequest(
      `There was a worktree ${name} in this repository before, and its edits are kept; ${choose}`,
    );
  const ours = again ? [] : [baseRef(name), snapshotRef(name), ignoredRef(name)];
  const refs = [`refs/heads/${branch}`, ...ours];
  const { out } = await repo.git.run(["for-each-ref", "--format=%(refname)", ...refs]);
  const [ref] = out.split("\n");
  if (!ref) return;
  refuseRequest(
    ref.startsWith("refs/heads/")
      ? `There is a branch ${ref.slice("refs/heads/".length)} already; ${choose}`
      : `There was a worktree ${name} in this repository before (${ref}); ${choose}`,
  );
}

/** A worktree that is still empty. */
interface Begun {
  readonly repo: Repository;
  readonly record: TreeRecord;
  readonly base: Promise<Base>;
}

/** Writes the files; several new worktrees do so in parallel. */
export async function finishTree(
  { dependencies }: Pick<GitRequest<"create">, "dependencies">,
  { repo, record, base: asked }: Begun,
  ground: GitEnvironment,
): Promise<{ readonly tree: Worktree; readonly notes: string[] }> {
  const { signal } = ground;
  try {
    const git = repo.git.at(record.tree.path);
    const [filled, base] = await bothEnded(
      fillTree(git, record.tree.base, signal),
      asked.then(async (found) => {
        await holdBase(repo, record.tree, found.commit, ground);
        return found;
      }),
    );
    const more = await advanceToBase({ tree: record.tree, git, to: base.commit }, signal);
    const tree = { ...record.tree, base: base.commit };
    const along = await copyIgnored({ repo, tree, git, dependencies, signal });
    const shown = await notIgnored(repo, tree.path);
    const left = await submodulesOf(git);
    signal?.throwIfAborted();
    const { deferred: _, ...known } = record;
    const done = { tree, at: ground.now(), made: true, linked: [...along.linked] };
    await writeRecord(repo.common, tree.name, { ...known, ...done });
    const notes = [
      ...base.notes,
      ...new Set([...filled, ...more]),
      ...along.notes,
      ...left,
      ...(shown === null ? [] : [shown]),
    ];
    return { tree, notes };
  } catch (error) {
    const toTheEnd = { ...ground, signal: undefined };
    await withLock(repo.common, toTheEnd, () => discardWorktree(repo, record));
    throw error;
  }
}
