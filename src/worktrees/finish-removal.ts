import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode } from "../lib/errors.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { deleteRef } from "./delete-ref.ts";
import type { Repository } from "./environment.ts";
import { baseRef, snapshotRef, treeRecordFolder, treesFolder } from "./layout.ts";
import { listedTrees } from "./listed-trees.ts";
import { forgetSides } from "./merge/begin-from.ts";
import { forgetShown } from "./merge/settle.ts";
import { outputOf, refuse } from "./refusal.ts";
import { dropLeftovers } from "./side-index.ts";
import type { TreeRecord } from "./tree-record.ts";
import { chainsOf } from "./unsaved.ts";
import { locateWorktree } from "./worktree-location.ts";

/** Every part can be done again after a death. Git deletes, and only what it lists; we never do. */
export async function finishRemoval(repo: Repository, record: TreeRecord): Promise<void> {
  const { tree } = record;
  const listed = await listedTrees(repo);
  if (listed.some(({ path }) => path === tree.path)) {
    pointBack(tree);
    const removed = await repo.git.run(["worktree", "remove", "--force", tree.path]);
    outputOf(removed, `${tree.path} is saved and could not be removed`);
  }
  if (isNothingButPointer(tree.path)) rmSync(tree.path, { recursive: true, force: true });
  if (isThere(tree.path))
    refuse(`${tree.path} is saved, and something is left of it that git did not remove.`);
  const elsewhere = listed.some(
    ({ path, branch }) => path !== tree.path && branch === `refs/heads/${tree.branch}`,
  );
  if (!elsewhere) await removeBranch(repo, tree.name, `refs/heads/${tree.branch}`);
  await forget(repo, record);
  removeEmptyFolders(repo.top);
}

/** Git removes only what says that it is a work tree; an agent, or a set-up command, may have deleted that. */
function pointBack(tree: Worktree): void {
  const pointer = join(tree.path, ".git");
  const place = locateWorktree(tree);
  if ("type" in place || !isThere(tree.path) || isThere(pointer)) return;
  writeFileSync(pointer, `gitdir: ${place.gitDir}\n`, { flag: "wx" });
}

/** Git was killed while it made it. */
function isNothingButPointer(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && readdirSync(path).every((name) => name === ".git");
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Only where a ref of ours holds what it points at. Its settings, if any, are the person's. */
async function removeBranch(repo: Repository, name: string, ref: string): Promise<void> {
  const { out } = await repo.git.run(["rev-parse", "--revs-only", ref]);
  const tip = out.trim();
  if (tip === "") return;
  for (const held of [snapshotRef(name), baseRef(name)]) {
    const { code } = await repo.git.run(["merge-base", "--is-ancestor", tip, held]);
    if (code !== 0) continue;
    outputOf(await deleteRef(repo, ref, tip), `${ref} could not be removed`);
    return;
  }
  // It has commits that were not made in the tree: then it is not ours alone.
}

/** A tree that nothing was ever written in leaves nothing behind; of others the refs and who they were stay. */
async function forget(repo: Repository, record: TreeRecord): Promise<void> {
  const { tree } = record;
  const { name } = tree;
  const folder = treeRecordFolder(repo.common, name);
  // A rebase that was killed has left them.
  await forgetSides(repo, tree);
  const { snapshot, ignored } = await chainsOf((args, options) => repo.git.run(args, options), name);
  if (snapshot === null && ignored === null) {
    await deleteRef(repo, baseRef(name));
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  dropLeftovers(repo.common, name);
  forgetShown(repo.common, tree);
  // Marks that are open still are those of what is put back.
  const settled = record.result === "merged" || record.result === "empty" ? ["marked.json"] : [];
  for (const file of ["index", "ignored", "heads", "removing", ...settled])
    rmSync(join(folder, file), { force: true });
  rmSync(join(folder, "troupe"), { recursive: true, force: true });
}

/** Whatever we made for trees goes with the last one of them. */
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
    // Somebody has something there, or took it away meanwhile.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
}
