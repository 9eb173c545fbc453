import type { Worktree } from "../mailbox/worktree.ts";

/**
 * What an agent is told of the tree it works in. The same bytes for its whole life, so that the prefix stays cached
 * (A22.20).
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
    `You work in a git worktree of your own: ${path}, on branch ${branch}, made from ${begin} plus what was changed and not committed there.`,
    `The main checkout is ${checkout}. A path in it that you read of or are given means the same file here: ${checkout}/a/b is ${path}/a/b. Nothing outside of your worktree may be written, and you do not see what others change meanwhile.`,
    "When you end, your edits are brought back to the main checkout from the files as you leave them, whether committed or not. So do not commit unless you are asked to, do not stash, and leave branches, tags, remotes, worktrees and git's configuration as they are: they are shared with the person.",
  ].join("\n");
}
