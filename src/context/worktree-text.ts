import type { Worktree } from "../mailbox/worktree.ts";

/**
 * Describes the agent's worktree, always in the same bytes, so that the prefix stays cached (A22.20).
 */
export function worktreeText({
  path,
  branch,
  checkout,
  head,
}: Pick<Worktree, "path" | "branch" | "checkout" | "head">): string {
  const begin = head === null ? "the files of a checkout without commits" : `HEAD ${head}`;
  return [
    "Worktree",
    `You work in your own git worktree: ${path}, on branch ${branch}, created from ${begin} plus the uncommitted changes there.`,
    `The main checkout is ${checkout}. A path in it that you find or get means the same file here: ${checkout}/a/b is ${path}/a/b. Nothing outside your worktree may be written, and you do not see changes that others make.`,
    "When you end, your edits are merged into the main checkout from the files as you leave them, committed or not. So do not commit unless you are asked to, do not stash, and leave branches, tags, remotes, worktrees and git's configuration as they are: they are shared with the user.",
  ].join("\n");
}
