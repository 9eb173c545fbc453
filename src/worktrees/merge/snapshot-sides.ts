import type { Worktree } from "../../mailbox/worktree.ts";
import { snapshotCheckout } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { bothEnded } from "../refusal.ts";
import { snapshotToMerge } from "./agent-snapshot.ts";
import { type Candidate, candidateOf, type Sides } from "./candidate.ts";

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
