import { existsSync } from "node:fs";
import type { Conflict, Worktree } from "../../mailbox/worktree.ts";
import { editsBetween } from "../changes.ts";
import { type CheckoutSnapshot, snapshotCheckout } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import type { Counts } from "../protocol.ts";
import { bothEnded, outputOf, refuseRequest } from "../refusal.ts";
import { operationInProgress, repositoryAt } from "../repository.ts";
import { chunks, withIndex } from "../side-index.ts";
import { snapshotTree } from "../tree-snapshot.ts";
import { mergeTree, unresolved, withLines } from "./merge-tree.ts";
import { guard, type PlannedChange, planOf } from "./plan.ts";
import { settleLeftOver } from "./settle.ts";

/** The edits of a worktree against the current checkout. */
export type Candidate =
  | { readonly type: "empty" }
  | (Common & { readonly type: "conflict"; readonly conflicts: readonly Conflict[] })
  | (Common & {
      readonly type: "clean";
      /** The tree that the checkout would become. */
      readonly merged: string;
      readonly plan: readonly PlannedChange[];
      readonly emptied: readonly { path: string; mode: number }[];
    });

interface Common {
  readonly checkout: CheckoutSnapshot;
  readonly counts: Counts;
  readonly deleted: readonly string[];
  /** A commit of the agent's files on the base of its worktree. */
  readonly edits: string;
  readonly notes: readonly string[];
}

/** Returns the checkout of a worktree, ready for a merge. */
export async function checkoutOf(tree: Worktree, ground: GitEnvironment): Promise<Repository> {
  if (!existsSync(tree.checkout))
    refuseRequest(`${tree.checkout}, which the edits belong to, no longer exists.`);
  const repo = await repositoryAt(tree.checkout, ground);
  if (repo.top !== tree.checkout)
    refuseRequest(`${tree.checkout}, which the edits belong to, is no longer a checkout.`);
  const doing = await operationInProgress(repo);
  if (doing !== null)
    refuseRequest(
      `${repo.top} is in the middle of ${doing}, so nothing is brought into it; finish that first.`,
    );
  return repo;
}

/** The two sides of a merge; both are only read. */
export interface Sides {
  readonly tree: Worktree;
  /** A commit of the agent's files. */
  readonly snapshot: string;
  readonly checkout: CheckoutSnapshot;
  /** Deletions by the agent to leave out. */
  readonly hold: readonly string[];
}

/** Writes objects, nothing else. */
export async function candidateOf(
  repo: Repository,
  { tree, snapshot, checkout, hold }: Sides,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<Candidate> {
  const trees = await repo.git.run(["rev-parse", `${tree.base}^{tree}`, `${snapshot}^{tree}`]);
  const [base = "", found = ""] = outputOf(trees, `The edits of ${tree.name} could not be read`).split("\n");
  const root = await keepDeletions(repo, base, found, hold, ground);
  if (root === base) return { type: "empty" };
  signal?.throwIfAborted();
  const made = await repo.git.run(["commit-tree", root, "-p", tree.base, "-m", `Edits of ${tree.name}`]);
  const edits = outputOf(made, "The edits could not be committed").trim();
  const [done, merged] = await bothEnded(
    editsBetween(repo.git, base, root),
    mergeTree(repo.git, checkout.commit, edits, signal),
  );
  const notes = [...checkout.notes];
  const common = { checkout, counts: done.counts, deleted: done.deleted, edits, notes };
  if (merged.type === "conflict")
    return {
      ...common,
      type: "conflict",
      conflicts: await withLines(repo.git, merged.tree, merged.conflicts),
    };
  const open = await unresolved(repo, tree, root);
  if (open.length > 0) return { ...common, type: "conflict", conflicts: open };
  const plan = await planOf(repo.git, checkout, merged.tree);
  const guarded = await guard(repo, plan.changes, merged.tree);
  const all = { ...common, notes: [...notes, ...plan.notes] };
  if (guarded.conflicts.length > 0) return { ...all, type: "conflict", conflicts: guarded.conflicts };
  return { ...all, type: "clean", merged: merged.tree, plan: plan.changes, emptied: guarded.emptied };
}

/** Returns the agent's tree with the deletions to leave out put back. */
async function keepDeletions(
  repo: Repository,
  base: string,
  found: string,
  hold: readonly string[],
  ground: GitEnvironment,
): Promise<string> {
  if (hold.length === 0) return found;
  return withIndex(repo, ground, async (index) => {
    const said = async (args: readonly string[]) =>
      outputOf(await repo.git.run(args, { index }), "Deletions could not be held back");
    await said(["read-tree", found]);
    for (const some of chunks(hold, 200)) {
      const listed = await said(["ls-tree", "-z", "--full-tree", base, "--", ...some]);
      const entries = [...listed.matchAll(/(\d{6}) \w+ ([0-9a-f]+)\t([^\0]+)\0/g)];
      const args = entries.flatMap(([, mode, id, path]) => ["--cacheinfo", `${mode},${id},${path}`]);
      if (args.length > 0) await said(["update-index", "--add", ...args]);
    }
    return (await said(["write-tree"])).trim();
  });
}

export interface SideSnapshot {
  readonly tree: Worktree;
  /** Merge what was checked, not what may have been written since. */
  readonly checked: boolean;
  readonly hold: readonly string[];
}

/** Snapshots both sides and merges them. */
export async function snapshotSides(
  repo: Repository,
  { tree, checked, hold }: SideSnapshot,
  ground: GitEnvironment,
  signal?: AbortSignal,
): Promise<{ readonly sides: Sides; readonly candidate: Candidate }> {
  // Runs both in parallel.
  const [snapshot, checkout] = await bothEnded(
    snapshotToMerge(repo, tree, checked, ground),
    snapshotCheckout(repo, [tree.base], ground),
  );
  const sides = { tree, snapshot, checkout, hold };
  return { sides, candidate: await candidateOf(repo, sides, ground, signal) };
}

/**
 * Returns the commit of the agent's files to merge. `checked`: merge what was checked, not what may have been written
 * since.
 */
export async function snapshotToMerge(
  repo: Repository,
  tree: Worktree,
  checked: boolean,
  ground: GitEnvironment,
): Promise<string> {
  await settleLeftOver(repo, tree, ground);
  if (checked) {
    const known = await repo.git.run(["rev-parse", "-q", "--verify", `${snapshotRef(tree.name)}^{commit}`]);
    if (known.code === 0) return known.out.trim();
  }
  return (await snapshotTree({ tree, files: null }, ground)).commit;
}
