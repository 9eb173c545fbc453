import { MergeMode } from "../mailbox/worktree.ts";
import { oneOf, text, wholeIn } from "./checks.ts";
import { setting } from "./setting.ts";
import { COMMAND_MS, dependencies, setup } from "./worktree-checks.ts";

/** What a worktree begins from: the checkout as it is, its HEAD alone, or the remote's default branch. */
export type BaseRef = "checkout" | "head" | "fresh";
/** What happens where two agents at work write to the same file. */
export type OverlapRule = "tell" | "wait" | "refuse" | "off";

/** The settings of worktrees: where agents that edit work, and how their edits come back. */
export const worktreeCatalogue = {
  baseRef: setting("worktree.baseRef", oneOf<BaseRef>(["checkout", "head", "fresh"]), {
    summary:
      "What an agent's worktree begins from: the checkout with all that is not committed, its HEAD alone, or the remote's default branch.",
    fallback: "`checkout`",
  }),
  dependencies: setting("worktree.dependencies", dependencies(), {
    summary:
      'Folders that git ignores and a build needs, by their path from the top of the repository, such as `{ "node_modules": "link" }`: linked or copied into every worktree where they are there.',
    merge: "entries",
  }),
  setup: setting("worktree.setup", setup(), {
    summary:
      "A shell command that runs in a new worktree before its agent starts; `ready` is a command that is then asked until it exits 0. `timeoutMs` is for both together.",
    fallback: "none; `timeoutMs` 300000",
  }),
  check: setting("worktree.check", text("a command"), {
    summary:
      "A shell command, such as the test suite, that runs on the merged result before it reaches the checkout; unless it exits 0, nothing is merged.",
  }),
  checkTimeoutMs: setting("worktree.checkTimeoutMs", wholeIn(COMMAND_MS), {
    summary: "Milliseconds that `worktree.check` may take.",
    fallback: "600000",
  }),
  merge: setting("worktree.merge", oneOf<MergeMode>(MergeMode.options), {
    summary:
      "How an agent's edits come back: into the files of the checkout, as a commit as well, not at all (they stay on their branch), or after a question.",
    fallback: "`apply`",
  }),
  overlap: setting("worktree.overlap", oneOf<OverlapRule>(["tell", "wait", "refuse", "off"]), {
    summary:
      "What happens where two agents at work write to the same file: both are told, the second waits for the first, the second is told to choose other work, or nothing.",
    fallback: "`tell`",
  }),
} as const;
