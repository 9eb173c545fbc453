import { MAX_BUNDLE_BYTES } from "../../mailbox/runners.ts";
import type { Worktree } from "../../mailbox/worktree.ts";
import { filesOf } from "../changes.ts";
import { makeDeferred } from "../deferred.ts";
import type { GitEnvironment, LocatedRepository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import { withTreeLock } from "../lock.ts";
import { treeWith } from "../merge/index-entries.ts";
import { mergeTree } from "../merge/merge-tree.ts";
import { forgetShown, settleLeftOver, showInTree } from "../merge/settle.ts";
import type { ChangedFile, GitRequest, SuccessOf } from "../protocol.ts";
import { GitRefusal, outputOf, refuseByGit, refuseRequest } from "../refusal.ts";
import { isBeingRemoved, readRecord, type TreeRecord, writeRecord } from "../tree-record.ts";
import { snapshotLocked } from "../tree-snapshot.ts";
import { locateRepository, locateWorktree } from "../worktree-location.ts";
import { type Arriving, bringIn } from "./bring-in.ts";
import { assertBundle } from "./bundle.ts";

/**
 * Takes a commit that came from a runner into a worktree, as its newest snapshot. It has exactly the files of the commit, and what
 * was changed here since the runner got its files, such as the merged edits of an agent that it has started. A repeated call
 * changes nothing.
 */
export async function importEdits(
  { tree: { name, checkout }, ...arrived }: GitRequest<"importEdits">,
  ground: GitEnvironment,
): Promise<SuccessOf<"importEdits">> {
  const repo = locateRepository(checkout, ground);
  const known = (await readRecord(repo.common, name)) ?? refuseRequest(`There is no worktree ${name}.`);
  if (isBeingRemoved(repo.common, name))
    refuseRequest(`The worktree ${name} is being removed, so no more edits of it are taken.`);
  const { commit } = arrived;
  const from =
    "bundle" in arrived
      ? { commit, pack: await assertBundle(arrived.bundle, commit, MAX_BUNDLE_BYTES) }
      : { commit, remote: arrived.remote };
  return bringIn(repo, known.tree, from, ground, async (arriving) => {
    const making = await makeDeferred(known.tree, ground);
    const record = (await readRecord(repo.common, name)) ?? known;
    await settleLeftOver(repo, record.tree, ground);
    const { snapshot, changed, notes } = await withTreeLock(repo.common, name, ground, () =>
      showSnapshot(repo, record, commit, ground, arriving),
    );
    return { type: "imported", snapshot, changed: [...changed], notes: [...making, ...notes] };
  });
}

interface ShownSnapshot {
  /** The newest of the chain now. */
  readonly snapshot: string;
  readonly changed: readonly ChangedFile[];
  readonly notes: readonly string[];
}

/**
 * Gives a worktree the files of a commit and puts it on the chain. `arriving`: it comes from a runner, and what was changed in the
 * worktree stays. Call under the worktree's lock.
 */
export async function showSnapshot(
  repo: LocatedRepository,
  record: TreeRecord,
  commit: string,
  ground: GitEnvironment,
  arriving?: Arriving,
): Promise<ShownSnapshot> {
  const { tree } = record;
  const place = locateWorktree(tree);
  try {
    return await show(repo, tree, commit, ground, arriving);
  } catch (error) {
    if (!(error instanceof GitRefusal)) throw error;
    // Something was written here since the newest snapshot.
    const { notes, changed } = await snapshotLocked({ tree, files: null }, place, ground);
    if (changed.length === 0) throw error;
    const shown = await show(repo, tree, commit, ground, arriving);
    return { ...shown, notes: [...notes, ...shown.notes] };
  }
}

async function show(
  repo: LocatedRepository,
  tree: Worktree,
  commit: string,
  ground: GitEnvironment,
  arriving: Arriving | undefined,
): Promise<ShownSnapshot> {
  const { name } = tree;
  const failed = `What came from the runner could not be put into ${tree.path}`;
  const said = async (args: readonly string[]) => outputOf(await repo.git.run(args), failed).trim();
  const ref = snapshotRef(name);
  const asked = [`${commit}^{tree}`, `${tree.base}^{tree}`, ...[`${ref}^{commit}`, `${ref}^{tree}`]];
  const known = await repo.git.run(
    ["rev-parse", "--revs-only", ...asked, `${ref}^2^{tree}`],
    arriving && { objects: arriving.objects },
  );
  const [theirs, ofBase, newest = null, ofNewest, ofRunner] = known.out.trim().split("\n");
  const [now, own] = newest === null ? [tree.base, ofBase] : [newest, ofNewest];
  if (theirs === undefined || own === undefined) return refuseByGit(failed);
  // The newest snapshot has what the runner sent last.
  const isSame = newest === null || own === ofRunner;
  const isMerged = arriving !== undefined && !isSame;
  const mayBeKnown = isMerged || own === theirs;
  const raw = !isMerged && own === ofBase ? arriving?.changes : undefined;
  if (mayBeKnown || raw === undefined) await arriving?.taken;
  if (mayBeKnown && (await repo.git.run(["merge-base", "--is-ancestor", commit, now])).code === 0)
    return { snapshot: now, changed: [], notes: [] };
  const { root, notes } = isMerged
    ? await mergeArrived(repo, { ours: now, theirs: commit }, ground)
    : { root: theirs, notes: [] };
  const message = ["-m", `Snapshot of ${name} on its runner`];
  let snapshot = now;
  const chain = {
    make: async () => {
      await arriving?.taken;
      return said(["commit-tree", root, "-p", now, "-p", commit, ...message]);
    },
    // From here on these are its files: after a crash before this the old ones are put back.
    hold: async (made: string) => {
      await said(["update-ref", ref, made, newest ?? "0".repeat(made.length)]);
      snapshot = made;
    },
  };
  const showing = { snapshot: now, root: own, to: root, raw, chain };
  const changes = await showInTree(repo, tree, showing, ground);
  forgetShown(repo.common, tree);
  const record = await readRecord(repo.common, name);
  if (record !== null && record.result !== null)
    await writeRecord(repo.common, name, { ...record, result: null });
  return { snapshot, changed: filesOf(changes), notes };
}

const MERGE_FAILED = "The edits of a runner could not be merged with what was changed here";

/**
 * Merges what an agent has edited on a runner with what was changed in its worktree here. Where both have changed the same lines, the
 * runner's file is taken, and a note says so: the other one is in an older snapshot.
 */
async function mergeArrived(
  repo: LocatedRepository,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
  ground: GitEnvironment,
): Promise<{ readonly root: string; readonly notes: readonly string[] }> {
  const merged = await mergeTree(repo.git, ours, theirs);
  if (merged.type === "clean") return { root: merged.tree, notes: [] };
  const paths = merged.conflicts.map(({ path }) => path);
  const files = merged.conflicts.map(({ path, sides }) => ({ path, to: sides.get(3) ?? null }));
  const root = await treeWith(repo, merged.tree, files, MERGE_FAILED, ground);
  const note = `its runner and another agent have changed the same lines of ${paths.join(", ")}; the runner's are there now, and the others are in an older snapshot.`;
  return { root, notes: [note] };
}
