import type { Worktree } from "../../mailbox/worktree.ts";
import type { GitEnvironment, Repository } from "../environment.ts";
import { snapshotRef } from "../layout.ts";
import { snapshotTree } from "../tree-snapshot.ts";
import { settleLeftOver } from "./settle.ts";

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
