import type { Worktree } from "../../mailbox/worktree.ts";
import { type CheckoutSnapshot, snapshotCheckout } from "../checkout-snapshot.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import { isRefused } from "../repository.ts";
import type { Refused } from "../requests.ts";
import { snapshotTree } from "../tree-snapshot.ts";
import { settleLeftOver } from "./settle.ts";

/** Both sides at once: neither waits for the other. */
export async function bothSides(
  repo: Repository,
  tree: Worktree,
  checked: boolean,
  ground: GitEnvironment,
): Promise<{ type: "sides"; snapshot: string; checkout: CheckoutSnapshot } | Refused> {
  const [snapshot, checkout] = await Promise.all([
    snapshotToMerge(repo, tree, checked, ground),
    snapshotCheckout(repo, [tree.base], ground),
  ]);
  if (isRefused(snapshot)) return snapshot;
  return isRefused(checkout) ? checkout : { type: "sides", snapshot: snapshot.commit, checkout };
}

/**
 * The commit of the agent's files that is to be merged. `checked`: what was checked is to be merged, not what may have
 * been written since.
 */
export async function snapshotToMerge(
  repo: Repository,
  tree: Worktree,
  checked: boolean,
  ground: GitEnvironment,
): Promise<{ type: "snapshot"; commit: string } | Refused> {
  const settled = await settleLeftOver(repo, tree, ground);
  if (settled !== null) return settled;
  if (checked) {
    const known = await repo.git.run(["rev-parse", "-q", "--verify", `${snapshotRef(tree.name)}^{commit}`]);
    if (known.code === 0) return { type: "snapshot", commit: known.out.trim() };
  }
  const taken = await snapshotTree({ tree, files: null }, ground);
  return taken.type === "refused" ? taken : { type: "snapshot", commit: taken.commit };
}
