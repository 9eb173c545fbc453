import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../../mailbox/worktree.ts";
import { isTreeDeferred, makeDeferred } from "../deferred.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import { withLock, withTreeLock } from "../lock.ts";
import type { GitRequest, SuccessOf } from "../protocol.ts";
import { retryAfterGc } from "../refusal.ts";
import { checkoutOf, snapshotSides, snapshotToMerge } from "./candidate.ts";
import { openMerge } from "./merge-journal.ts";
import { rollBackUnfinished } from "./roll-back.ts";
import { showInTree } from "./settle.ts";

/** Tries the merge of a worktree into the current checkout; writes nothing there. */
export async function prepareMerge(
  { tree, deleted, forCheck, emptyToo = false }: GitRequest<"prepare">,
  ground: GitEnvironment,
): Promise<SuccessOf<"prepare">> {
  // A check of work without edits needs its files.
  if (emptyToo) await makeDeferred(tree, ground);
  else if (await isTreeDeferred(tree, ground)) return { type: "empty", notes: [] };
  const repo = await checkoutOf(tree, ground);
  if (!emptyToo && (await hasNoEdits(repo, tree, ground))) return { type: "empty", notes: [] };
  const before = await afterOthers(repo, ground);
  const look = { tree, checked: false, hold: [] };
  const { sides, candidate } = await retryAfterGc(repo.common, ground, () =>
    snapshotSides(repo, look, ground, ground.signal),
  );
  const show = async (to: string) => {
    const shown = { snapshot: sides.snapshot, to };
    await withTreeLock(repo.common, tree.name, ground, () => showInTree(repo, tree, shown, ground));
  };
  if (candidate.type === "empty") {
    if (emptyToo) await show(sides.checkout.tree);
    return { type: "empty", notes: [...before.notes] };
  }
  const notes = [...before.notes, ...candidate.notes];
  const { counts } = candidate;
  if (candidate.type === "conflict")
    return { ...counts, type: "conflict", conflicts: [...candidate.conflicts], notes };
  if (forCheck) await show(candidate.merged);
  const known = new Set(deleted);
  return {
    ...{ ...counts, type: "clean", checkout: candidate.checkout.tree, merged: candidate.merged },
    paths: candidate.plan.map(({ path }) => path),
    strange: candidate.deleted.filter((path) => !known.has(path)),
    notes,
  };
}

/**
 * Whether a worktree that no snapshot has found changed is still as it was made: then the checkout need not be looked at. A ref that
 * git has packed only costs that look.
 */
async function hasNoEdits(repo: Repository, tree: Worktree, ground: GitEnvironment): Promise<boolean> {
  if (existsSync(join(repo.common, snapshotRef(tree.name)))) return false;
  return (await snapshotToMerge(repo, tree, false, ground)) === tree.base;
}

/** Reads a checkout only after others have finished writing it, or were rolled back. */
async function afterOthers(
  { common }: Repository,
  ground: GitEnvironment,
): Promise<{ notes: readonly string[] }> {
  if (openMerge(common) === null) return { notes: [] };
  return withLock(common, ground, () => rollBackUnfinished(common, ground));
}
