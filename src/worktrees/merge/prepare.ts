import type { GitEnvironment, Repository } from "../environment.ts";
import { withLock } from "../lock.ts";
import { isRefused } from "../repository.ts";
import type { PrepareAnswer, PrepareRequest, Refused } from "../requests.ts";
import { withTreeLock } from "../tree-lock.ts";
import { checkoutOf } from "./candidate.ts";
import { openMerge } from "./journal.ts";
import { rollBackUnfinished } from "./roll-back.ts";
import { showInTree } from "./settle.ts";
import { snapshotSides } from "./snapshot-sides.ts";

/** Whether the edits of a tree fit into the checkout as it is now; nothing is written there. */
export async function prepareMerge(
  request: PrepareRequest,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<PrepareAnswer> {
  const { tree, deleted, forCheck } = request;
  const repo = await checkoutOf(tree, ground);
  if (isRefused(repo)) return repo;
  const before = await afterOthers(repo, ground, signal);
  if (isRefused(before)) return before;
  const both = await snapshotSides(repo, { tree, checked: false, hold: [] }, ground, signal);
  if (isRefused(both)) return both;
  const { sides, candidate } = both;
  if (candidate.type === "empty") return { type: "empty", notes: [...before.notes] };
  const notes = [...before.notes, ...candidate.notes];
  const { counts } = candidate;
  if (candidate.type === "conflict")
    return { ...counts, type: "conflict", conflicts: [...candidate.conflicts], notes };
  if (forCheck) {
    const merged = { snapshot: sides.snapshot, to: candidate.merged };
    const shown = await withTreeLock(repo.common, tree.name, ground, () =>
      showInTree(repo, tree, merged, ground),
    );
    if (shown !== null) return shown;
  }
  const known = new Set(deleted);
  return {
    ...{ ...counts, type: "clean", checkout: candidate.checkout.tree, merged: candidate.merged },
    paths: candidate.plan.map(({ path }) => path),
    strange: candidate.deleted.filter((path) => !known.has(path)),
    notes,
  };
}

/** A checkout in which others are just writing, or died while they did, is looked at afterwards. */
async function afterOthers(
  { common }: Repository,
  ground: GitEnvironment,
  signal: AbortSignal | undefined,
): Promise<{ notes: readonly string[] } | Refused> {
  if (openMerge(common) === null) return { notes: [] };
  return withLock(common, ground, () => rollBackUnfinished(common, ground), { signal });
}
