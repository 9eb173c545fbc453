import { constants, copyFileSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod/mini";
import { errorCode } from "../lib/errors.ts";
import type { Worktree } from "../mailbox/worktree.ts";
import { countsBetween } from "./changes.ts";
import type { GitEnvironment } from "./environment.ts";
import { withTreeLock } from "./lock.ts";
import { answered, granted, outputOf, refuseByGit } from "./refusal.ts";
import type { KeepAnswer, KeepRequest } from "./requests.ts";
import { sideIndexFile } from "./side-index.ts";
import { readRecord, writeRecord } from "./tree-record.ts";
import { snapshotLocked } from "./tree-snapshot.ts";
import { gitOn, locateWorktree, type TreeGit, type TreePlace } from "./worktree-location.ts";

type Keep = z.infer<typeof KeepRequest>;

/**
 * Commits the edits on the worktree's branch, on its base, and leaves the worktree clean. A repeated call changes
 * nothing.
 */
export function keepTree(request: Keep, ground: GitEnvironment): Promise<KeepAnswer> {
  return answered(async () => {
    const place = granted(locateWorktree(request.tree));
    return withTreeLock(place.common, request.tree.name, ground, () => keep(request, place, ground));
  });
}

async function keep({ tree, message }: Keep, place: TreePlace, ground: GitEnvironment): Promise<KeepAnswer> {
  const taken = await snapshotLocked({ tree, files: null }, place, ground);
  const git = gitOn(tree, place, ground);
  const counts =
    (await countsBetween(git, tree.base, taken.commit)) ??
    refuseByGit(`The edits in ${tree.path} could not be read`);
  if (counts.files === 0) {
    await note(place, tree, "empty");
    return { type: "empty" };
  }
  const commit = await keptCommit(git, tree, taken.commit, message);
  await endOperations(git, place);
  const branch = `refs/heads/${tree.branch}`;
  for (const args of [
    ["update-ref", branch, commit],
    ["symbolic-ref", "HEAD", branch],
  ])
    outputOf(await git(args), `The branch ${tree.branch} could not be moved`);
  const notes = refreshIndex(place, tree)
    ? []
    : [`The index of ${tree.path} is locked and was left as it is.`];
  await note(place, tree, "kept");
  return { type: "kept", commit, ...counts, notes: [...taken.notes, ...notes] };
}

/** Returns the existing commit if it has the same content. */
async function keptCommit(git: TreeGit, tree: Worktree, snapshot: string, message: string): Promise<string> {
  const branch = `refs/heads/${tree.branch}`;
  const asked = [`${snapshot}^{tree}`, `${tree.base}^{commit}`, `${branch}^{tree}`, `${branch}^@`];
  const { out } = await git(["rev-parse", "--revs-only", ...asked]);
  const [root = "", base, was, ...parents] = out.split("\n").filter((line) => line !== "");
  if (was === root && parents.length === 1 && parents[0] === base)
    return (await git(["rev-parse", branch])).out.trim();
  const made = await git(["commit-tree", root, "-p", tree.base, "-m", message]);
  return outputOf(made, "The edits could not be committed").trim();
}

/** The user's next rebase would continue an unfinished one. */
async function endOperations(git: TreeGit, { gitDir }: TreePlace): Promise<void> {
  const operations = [
    ["rebase-merge", "rebase"],
    ["rebase-apply", "rebase"],
    ["MERGE_HEAD", "merge"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
  ] as const;
  for (const [file, command] of operations)
    if (existsSync(join(gitDir, file))) await git([command, "--quit"]);
}

/**
 * Follows git: the holder of `index.lock` writes the index. The new index has the commit's entries with file stats.
 */
function refreshIndex(place: TreePlace, tree: Worktree): boolean {
  const index = join(place.gitDir, "index");
  try {
    copyFileSync(sideIndexFile(place, tree, "index"), `${index}.lock`, constants.COPYFILE_EXCL);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  renameSync(`${index}.lock`, index);
  return true;
}

async function note({ common }: TreePlace, { name }: Worktree, result: "kept" | "empty"): Promise<void> {
  const record = await readRecord(common, name);
  if (record !== null) await writeRecord(common, name, { ...record, result });
}
