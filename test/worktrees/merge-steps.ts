import type { Worktree } from "../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { applyMerge, prepareMerge, settleTree, undoMerge } from "./operations.ts";
import { DEAD } from "./tree-of-tests.ts";

export type MergeStep = "prepare" | "check" | "apply" | "undo";

/** The type of the last answer. */
export async function mergeStep(step: MergeStep, tree: Worktree, ground: GitEnvironment) {
  switch (step) {
    case "prepare":
      return (await prepareMerge({ tree, deleted: [], forCheck: false }, ground)).type;
    case "check":
      await prepareMerge({ tree, deleted: [], forCheck: true }, ground);
      return (await settleTree({ tree }, ground)).type;
    case "apply": {
      const request = { tree, expects: null, hold: [], commit: null, owner: DEAD, title: tree.name };
      return (await applyMerge(request, ground)).type;
    }
    case "undo":
      return (await undoMerge({ folder: tree.checkout, which: null, force: false }, ground)).type;
    default:
      return step satisfies never;
  }
}
