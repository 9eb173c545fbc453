import { MAX_BUNDLE_BYTES } from "../../mailbox/runners.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import { filesOf } from "../changes.ts";
import { makeDeferred } from "../deferred.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import { withTreeLock } from "../lock.ts";
import { forgetShown, settleLeftOver, showInTree } from "../merge/settle.ts";
import type { ChangedFile, GitRequest, SuccessOf } from "../protocol.ts";
import { bothEnded, GitRefusal, outputOf, refuseByGit, refuseRequest } from "../refusal.ts";
import { isBeingRemoved } from "../removal-mark.ts";
import { repositoryAt } from "../repository.ts";
import { readRecord, type TreeRecord, writeRecord } from "../tree-record.ts";
import { snapshotLocked } from "../tree-snapshot.ts";
import { locateWorktree } from "../worktree-location.ts";
import { bringIn } from "./bring-in.ts";
import { assertBundle } from "./bundle.ts";
import { mergeArrived } from "./merge-arrived.ts";

/**
 * Takes a commit that came from a runner into a worktree, as its newest snapshot. It has exactly the files of the commit, and what
 * was changed here since the runner got its files, such as the merged edits of an agent that it has started. A repeated call
 * changes nothing.
 */
export async function importEdits(
  { tree: { name, checkout }, ...arrived }: GitRequest<"importEdits">,
  ground: GitEnvironment,
  signal: AbortSignal,
): Promise<SuccessOf<"importEdits">> {
  const repo = await repositoryAt(checkout, ground);
  const known = (await readRecord(repo.common, name)) ?? refuseRequest(`There is no worktree ${name}.`);
  if (isBeingRemoved(repo.common, name))
    refuseRequest(`The worktree ${name} is being removed, so no more edits of it are taken.`);
  const { commit } = arrived;
  const from =
    "bundle" in arrived
      ? { commit, pack: await assertBundle(arrived.bundle, commit, MAX_BUNDLE_BYTES) }
      : { commit, remote: arrived.remote };
  await bringIn(repo, known.tree, from, ground, signal);
  const making = await makeDeferred(known.tree, ground, signal, repo);
  const record = (await readRecord(repo.common, name)) ?? known;
  await settleLeftOver(repo, record.tree, ground);
  const shown = await withTreeLock(repo.common, name, ground, () =>
    showSnapshot(repo, record, commit, ground, true),
  );
  const { snapshot, changed, notes } = shown;
  return { type: "imported", snapshot, changed: [...changed], notes: [...making, ...notes] };
}

interface ShownSnapshot {
  /** The newest of the chain now. */
  readonly snapshot: string;
  readonly changed: readonly ChangedFile[];
  readonly notes: readonly string[];
}

/**
 * Gives a worktree the files of a commit and puts it on the chain. `merges`: what was changed in the worktree stays. Call under the
 * worktree's lock.
 */
export async function showSnapshot(
  repo: Repository,
  record: TreeRecord,
  commit: string,
  ground: GitEnvironment,
  merges = false,
): Promise<ShownSnapshot> {
  const { tree } = record;
  const place = locateWorktree(tree);
  try {
    return await show(repo, tree, commit, ground, merges);
  } catch (error) {
    if (!(error instanceof GitRefusal)) throw error;
    // Something was written here since the newest snapshot.
    const { notes, changed } = await snapshotLocked({ tree, files: null }, place, ground);
    if (changed.length === 0) throw error;
    const shown = await show(repo, tree, commit, ground, merges);
    return { ...shown, notes: [...notes, ...shown.notes] };
  }
}

async function show(
  repo: Repository,
  tree: Worktree,
  commit: string,
  ground: GitEnvironment,
  merges: boolean,
): Promise<ShownSnapshot> {
  const { name } = tree;
  const failed = `What came from the runner could not be put into ${tree.path}`;
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), failed).trim();
  const ref = snapshotRef(name);
  const asked = [`${commit}^{tree}`, `${tree.base}^{tree}`, ...[`${ref}^{commit}`, `${ref}^{tree}`]];
  const known = await repo.git.run(["rev-parse", "--revs-only", ...asked, `${ref}^2^{tree}`]);
  const [theirs, ofBase, newest = null, ofNewest, ofRunner] = known.out.trim().split("\n");
  const [now, own] = newest === null ? [tree.base, ofBase] : [newest, ofNewest];
  if (theirs === undefined || own === undefined) return refuseByGit(failed);
  // The newest snapshot has what the runner sent last.
  const isSame = newest === null || own === ofRunner;
  const isMerged = merges && !isSame;
  const mayBeKnown = isMerged || own === theirs;
  if (mayBeKnown && (await repo.git.run(["merge-base", "--is-ancestor", commit, now])).code === 0)
    return { snapshot: now, changed: [], notes: [] };
  const { root, notes } = isMerged
    ? await mergeArrived(repo, { ours: now, theirs: commit }, ground)
    : { root: theirs, notes: [] };
  const message = ["-m", `Snapshot of ${name} on its runner`];
  const becomes = said(["commit-tree", root, "-p", now, "-p", commit, ...message]);
  // From here on these are its files: after a crash before this the old ones are put back.
  const hold = async () => {
    const snapshot = await becomes;
    await said(["update-ref", ref, snapshot, newest ?? "0".repeat(snapshot.length)]);
  };
  const showing = { snapshot: now, root: own, to: root, becomes, hold };
  const [snapshot, changes] = await bothEnded(becomes, showInTree(repo, tree, showing, ground));
  forgetShown(repo.common, tree);
  const record = await readRecord(repo.common, name);
  if (record !== null && record.result !== null)
    await writeRecord(repo.common, name, { ...record, result: null });
  return { snapshot, changed: filesOf(changes), notes };
}
