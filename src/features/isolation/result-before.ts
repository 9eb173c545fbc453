import type { Isolation, WorktreeResult } from "../../mailbox/worktree.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";

/**
 * Resolves with the merge result of an agent if the program died after the merge and before the agent's end was
 * written; null if its edits are not merged yet.
 */
export async function resultBefore(
  worktrees: Pick<Worktrees, "list">,
  { name, checkout, branch, head }: Isolation,
): Promise<WorktreeResult | null> {
  const listed = await worktrees.list({ folder: checkout, name });
  if (listed.type === "refused") return null;
  const [tree] = listed.trees;
  if (tree?.result !== "merged" || tree.base === null) return null;
  const { path, base, counts } = tree;
  const { files, insertions, deletions } = counts ?? { files: 0, insertions: 0, deletions: 0 };
  return {
    ...{ outcome: "merged", files, insertions, deletions, base, head },
    // The merge's own name was lost in the crash; undo accepts the worktree's.
    merge: name,
    ...(path === null ? {} : { path, branch }),
  };
}

/** Returns a result for edits that could not be inspected; `why` is a sentence or empty. */
export function unknownResult(
  { name, path, branch, head }: Isolation,
  base: string | null,
  why: string,
): WorktreeResult {
  const known = `It is not known what happened to its edits; \`troupe worktrees diff ${name}\` shows those it had.`;
  return {
    ...{ outcome: "kept", reason: why === "" ? known : `${known} ${why}` },
    ...{ files: 0, insertions: 0, deletions: 0 },
    ...{ base: base ?? head ?? "", head, path, branch },
  };
}
