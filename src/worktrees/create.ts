import { lstat, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { advanceToBase, holdBase, isWhole, LOST } from "./advance-base.ts";
import { type Base, baseOf } from "./base.ts";
import { dropBrokenEntries } from "./broken-entries.ts";
import { copyIgnored } from "./copy-ignored.ts";
import { discardWorktree } from "./discard.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { fillTree, submodulesOf } from "./fill.ts";
import { allThere, GC_TRIES } from "./gc-guard.ts";
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
import { bothEnded } from "./refusal.ts";
import { isRefused, lastLine, refused, repositoryAt } from "./repository.ts";
import type { CreateAnswer, CreateRequest, Refused } from "./requests.ts";
import { type TreeRecord, writeRecord } from "./tree-record.ts";
import { makeTreesFolder, notIgnored } from "./trees-folder.ts";

/**
 * A tree of its own, from the checkout that `folder` is in: all of it is there, or nothing is. Rejects with the signal's
 * reason, once what was begun is taken back.
 */
export async function createTree(
  request: CreateRequest,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<CreateAnswer> {
  const { name } = request;
  if (!isTreeName(name))
    return refused(
      `${JSON.stringify(name)} is no name for a worktree: letters, digits, dots, underscores and dashes, at most 64, and git must take it as part of a branch's name.`,
    );
  const repo = await repositoryAt(request.folder, ground);
  return isRefused(repo) ? repo : makeTree(request, repo, null, ground, signal);
}

/** A tree of this name that is gone, with nothing in it that is in no checkout. */
export interface Earlier {
  readonly snapshot: string | null;
}

/** `earlier`: its name is given again, to who goes on with it. */
export async function makeTree(
  request: CreateRequest,
  repo: Repository,
  earlier: Earlier | null,
  ground: GitEnvironment,
  signal: AbortSignal | undefined,
): Promise<CreateAnswer> {
  const ask = () => baseOf(repo, request.baseRef, ground, signal);
  const ahead = beginsAhead(request, repo, earlier);
  let left = earlier;
  for (let attempt = 1; ; attempt += 1) {
    const first = ahead ?? (await ask());
    if (isRefused(first)) return first;
    const record = recordOf(request, repo, first, ground);
    const begun = await withLock(repo.common, ground, () => begin(repo, record, left, ground), { signal });
    const base = ahead === null ? async () => first : ask;
    if (begun === null) return finish(request, { repo, record, base }, ground, signal);
    if (attempt === GC_TRIES || (await isWhole(repo, first.commit))) return begun;
    left = earlier && { snapshot: await tipOf(repo, snapshotRef(request.name)) };
  }
}

async function tipOf(repo: Repository, ref: string): Promise<string | null> {
  const { out } = await repo.git.run(["for-each-ref", "--format=%(objectname)", ref]);
  return out.trim() || null;
}

/** Most files of a checkout are as HEAD has them: they are written while it is looked at. Null: not without a look. */
function beginsAhead({ baseRef }: CreateRequest, { head }: Repository, earlier: Earlier | null): Base | null {
  return baseRef === "checkout" && head !== null && earlier === null ? { commit: head, notes: [] } : null;
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

/** One at a time: parallel ones read each other's half-written files in `.git/worktrees`. Null: the empty tree is there. */
async function begin(
  repo: Repository,
  record: TreeRecord,
  earlier: Earlier | null,
  ground: GitEnvironment,
): Promise<Refused | null> {
  const { name } = record.tree;
  // Not before the lock is held: who removes the last tree removes the folder, too.
  const folder = await makeTreesFolder(repo);
  if (folder !== null) return folder;
  await dropBrokenEntries(repo, ground);
  const taken = await whatIsTaken(repo, record.tree, earlier);
  if (taken !== null) return taken;
  const kept = earlier?.snapshot ? await continueChain(repo, record.tree, earlier.snapshot) : null;
  if (kept !== null) return refused(`The worktree ${name} could not be made: ${kept}`);
  try {
    // The record comes first: whatever is there from now on has an owner (C13).
    await writeRecord(repo.common, name, record);
    const why = await addEmpty(repo, record.tree, earlier, ground);
    if (why === null) return null;
    await discardWorktree(repo, record);
    return refused(`The worktree ${name} could not be made: ${why}`);
  } catch (error) {
    await discardWorktree(repo, record);
    throw error;
  }
}

/** What stops it, as a sentence. */
async function addEmpty(
  repo: Repository,
  { name, path, branch, base }: Worktree,
  earlier: Earlier | null,
  ground: GitEnvironment,
): Promise<string | null> {
  return (
    (await failure(repo, ["update-ref", baseRef(name), base, ...(earlier === null ? [""] : [])])) ??
    (await lost(repo, base, ground)) ??
    (await failure(repo, ["worktree", "add", "--no-checkout", "--no-track", "-b", branch, path, base]))
  );
}

/** What was snapshotted before stays below what will be: one that is as the new base, so nothing passes for an edit. */
async function continueChain(
  repo: Repository,
  { name, base }: Worktree,
  snapshot: string,
): Promise<string | null> {
  for (const file of ["index", "heads"])
    await rm(join(treeRecordFolder(repo.common, name), file), { force: true });
  const words = `${name} begins anew`;
  const made = await repo.git.run(["commit-tree", `${base}^{tree}`, "-p", snapshot, "-p", base, "-m", words]);
  if (made.code !== 0) return `${lastLine(made.err)}.`;
  return failure(repo, ["update-ref", snapshotRef(name), made.out.trim(), snapshot]);
}

async function failure(repo: Repository, args: readonly string[]): Promise<string | null> {
  const { code, err } = await repo.git.run(args);
  return code === 0 ? null : `${lastLine(err) || `git ${args[0]} ended with ${code}`}.`;
}

/** A `git gc --prune=now` takes what no ref held yet. */
async function lost(repo: Repository, base: string, ground: GitEnvironment): Promise<string | null> {
  if (base === repo.head || repo.head === null) return null;
  const there = await allThere(repo.git.run, repo.common, base, repo.head, [], ground);
  return there ? null : LOST;
}

/** A name is for one tree for ever: its snapshots outlive it. */
async function whatIsTaken(
  repo: Repository,
  { name, path, branch }: Worktree,
  earlier: Earlier | null,
): Promise<Refused | null> {
  const choose = "choose another name.";
  if (await isThere(path)) return refused(`${path} is there already; ${choose}`);
  if (earlier === null && (await isThere(treeRecordFolder(repo.common, name))))
    return refused(
      `There was a worktree ${name} in this repository before, and its edits are kept; ${choose}`,
    );
  const ours = earlier === null ? [baseRef(name), snapshotRef(name), ignoredRef(name)] : [];
  const refs = [`refs/heads/${branch}`, ...ours];
  const { out } = await repo.git.run(["for-each-ref", "--format=%(refname)", ...refs]);
  const [ref] = out.split("\n");
  if (!ref) return null;
  return refused(
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
  base(): Promise<Base | Refused>;
}

/** The files, which trees that are made at once write side by side. */
async function finish(
  request: CreateRequest,
  { repo, record, base: ask }: Begun,
  ground: GitEnvironment,
  signal: AbortSignal | undefined,
): Promise<CreateAnswer> {
  const takeBack = () => withLock(repo.common, ground, () => discardWorktree(repo, record));
  try {
    const git = repo.git.at(record.tree.path);
    const [filled, base] = await bothEnded(
      fillTree(git, record.tree.base, signal),
      holdBase(repo, record.tree, ask, ground),
    );
    const refuse = async (why: Refused) => {
      await takeBack();
      return why;
    };
    if (isRefused(filled)) return await refuse(filled);
    if (isRefused(base)) return await refuse(base);
    const more = await advanceToBase({ tree: record.tree, git, to: base.commit }, signal);
    if (isRefused(more)) return await refuse(more);
    const tree = { ...record.tree, base: base.commit };
    const along = await copyIgnored({ repo, tree, git, dependencies: request.dependencies, signal });
    const shown = await notIgnored(repo, tree.path);
    const left = await submodulesOf(git);
    signal?.throwIfAborted();
    const done = { tree, at: ground.now(), made: true, linked: [...along.linked] };
    await writeRecord(repo.common, tree.name, { ...record, ...done });
    const notes = [
      ...base.notes,
      ...new Set([...filled.notes, ...more]),
      ...along.notes,
      ...left,
      ...(shown === null ? [] : [shown]),
    ];
    return { type: "created", tree, notes };
  } catch (error) {
    await takeBack();
    throw error;
  }
}
