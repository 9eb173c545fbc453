import type { Summary } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";

/**
 * Whether an agent's edits are where they were asked to be. Left on their branch is what `keep` asks for, and short of
 * what every other mode does; so is a deletion that was held back. An agent without a worktree has nothing to bring.
 */
export function areEditsMerged({ worktree }: Pick<Summary, "worktree">, merge: MergeMode): boolean {
  if (worktree === undefined) return true;
  switch (worktree.outcome) {
    case "empty":
      return true;
    case "merged":
      return (worktree.held ?? []).length === 0;
    case "kept":
      return merge === "keep";
    case "conflict":
      return false;
    default:
      return worktree.outcome satisfies never;
  }
}
