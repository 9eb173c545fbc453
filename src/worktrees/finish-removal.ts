import { chmodSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import { exists, unlessMissing } from "../lib/on-disk.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "./environment.ts";
import { idsOf } from "./git.ts";
import { deleteRef } from "./git-locks.ts";
import { type ListedTree, listedTrees } from "./known-trees.ts";
import { baseRef, ignoredRef, sideRefs, snapshotRef, treeRecordFolder, treesFolder } from "./layout.ts";
import { forgetShown } from "./merge/settle.ts";
import { outputOf, refuseRequest } from "./refusal.ts";
import { dropLeftovers } from "./side-index.ts";
import { isBeingRemoved, readRecord, type TreeRecord } from "./tree-record.ts";
import { gitDirOf } from "./worktree-location.ts";

/**
 * Finishes a removal; every step can be repeated after a crash. Git deletes, and only what it lists; Troupe never does.
 */
export async function finishRemoval(
  repo: Repository,
  record: TreeRecord,
  known?: readonly ListedTree[],
): Promise<void> {
  const { tree } = record;
  dropBrokenEntry(repo.common, tree.name);
  const listed = known ?? (await listedTrees(repo));
  if (listed.some(({ path }) => path === tree.path)) {
    pointBack(repo, tree);
    makeWritable(tree.path);
    const removed = await repo.git.run(["worktree", "remove", "--force", tree.path]);
    outputOf(removed, `${tree.path} is saved and could not be removed`);
  }
  if (isNothingButPointer(tree.path)) rmSync(tree.path, { recursive: true, force: true });
  if (exists(tree.path))
    refuseRequest(`${tree.path} is saved, and something is left of it that git did not remove.`);
  const elsewhere = listed.some(
    ({ path, branch }) => path !== tree.path && branch === `refs/heads/${tree.branch}`,
  );
  const refs = await refsOf(repo, tree);
  if (!elsewhere) await removeBranch(repo, tree, refs);
  await forget(repo, record, refs);
  removeEmptyFolders(repo.top);
}

/** Git removes only what says that it is a worktree; an agent or a set-up command may have deleted that. */
function pointBack({ common }: Repository, tree: Worktree): void {
  const pointer = join(tree.path, ".git");
  const gitDir = gitDirOf(common, tree.path);
  if (gitDir === null || !exists(tree.path) || exists(pointer)) return;
  writeFileSync(pointer, `gitdir: ${gitDir}\n`, { flag: "wx" });
}

/**
 * Git cannot delete from read-only directories, such as those of Go's module cache, unless its user is root. It forgets
 * the worktree all the same, so this comes first. A directory that cannot be read stays: nothing in it was saved.
 */
function makeWritable(path: string): void {
  if ((process.getuid?.() ?? 0) === 0) return;
  try {
    const { mode } = lstatSync(path);
    if ((mode & 0o700) === 0o500) chmodSync(path, mode | 0o200);
    for (const entry of readdirSync(path, { withFileTypes: true }))
      if (entry.isDirectory()) makeWritable(join(path, entry.name));
  } catch {
    // Git says what it could not delete.
  }
}

/** Git was killed while it made the worktree. */
function isNothingButPointer(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && readdirSync(path).every((name) => name === ".git");
}

type Refs = ReadonlyMap<string, string>;

/** All that may be left of a worktree, by one start of git. */
function refsOf({ git }: Repository, { name, branch }: Worktree): Promise<Refs> {
  const ours = [baseRef(name), snapshotRef(name), ignoredRef(name), ...sideRefs(name)];
  return idsOf((args) => git.run(args), [`refs/heads/${branch}`, ...ours]);
}

/** Deletes the branch only if one of Troupe's refs holds its commit. Its settings, if any, are the user's. */
async function removeBranch(repo: Repository, { name, branch }: Worktree, ids: Refs): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const tip = ids.get(ref);
  if (tip === undefined) return;
  for (const holder of [baseRef(name), snapshotRef(name)]) {
    const isBelow = () => repo.git.run(["merge-base", "--is-ancestor", tip, holder]);
    // It may have commits that were not made in the worktree, so it is not Troupe's alone.
    if (ids.get(holder) !== tip && (await isBelow()).code !== 0) continue;
    outputOf(await deleteRef(repo, ref, tip), `${ref} could not be removed`);
    return;
  }
}

/** Forgets a worktree that was never written to; for others keeps the refs and the owner. */
async function forget(repo: Repository, record: TreeRecord, refs: Refs): Promise<void> {
  const { tree } = record;
  const { name } = tree;
  const folder = treeRecordFolder(repo.common, name);
  // Left by a killed rebase.
  for (const side of sideRefs(name)) if (refs.has(side)) await deleteRef(repo, side);
  if (!refs.has(snapshotRef(name)) && !refs.has(ignoredRef(name))) {
    await deleteRef(repo, baseRef(name));
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  dropLeftovers(repo.common, name);
  forgetShown(repo.common, tree);
  // Unresolved marks belong to what restoring would put back.
  const settled = record.result === "merged" || record.result === "empty" ? ["marked.json"] : [];
  for (const file of ["index", "ignored", "heads", "removing", ...settled])
    rmSync(join(folder, file), { force: true });
  rmSync(join(folder, "troupe"), { recursive: true, force: true });
}

/** Removes Troupe's directories after the last worktree is gone. */
export function removeEmptyFolders(checkout: string): void {
  const folder = treesFolder(checkout);
  try {
    const ignore = join(folder, ".gitignore");
    const names = readdirSync(folder);
    if (names.length > 1 || (names[0] ?? ".gitignore") !== ".gitignore") return;
    if (names.length === 1 && !["*\n", ""].includes(readFileSync(ignore, "utf8"))) return;
    rmSync(ignore, { force: true });
    rmdirSync(folder);
    rmdirSync(dirname(folder));
  } catch (error) {
    // Another process has put something there, or has removed it.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}

/**
 * Removes what a git killed during `worktree add` left in `.git/worktrees`: it stops git from listing, adding or
 * removing any worktree. Call only with the repository's lock; removes only Troupe's worktrees that no process is
 * making.
 */
export async function dropBrokenEntries({ common }: Repository, ground: GitEnvironment): Promise<void> {
  for (const name of unlessMissing(() => readdirSync(join(common, "worktrees")), [])) {
    const record = await readRecord(common, name);
    if (record === null) continue;
    const isDead = !record.made && !ground.isAlive(record.maker);
    if (isDead || isBeingRemoved(common, name)) dropBrokenEntry(common, name);
  }
}

/** Removes the broken entry of one worktree; leaves an intact entry for git to remove. */
export function dropBrokenEntry(common: string, name: string): void {
  const entry = join(common, "worktrees", name);
  const isWhole = ["gitdir", "HEAD", "commondir"].every((file) =>
    unlessMissing(() => readFileSync(join(entry, file), "utf8"), "").endsWith("\n"),
  );
  if (!isWhole) rmSync(entry, { recursive: true, force: true });
}
