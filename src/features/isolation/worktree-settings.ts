import type { MergeMode } from "../../mailbox/worktree.ts";
import type { BaseRef } from "../../worktrees/requests.ts";

/** What happens where two agents at work write to the same file: both are told, the second waits or is refused, or nothing. */
export type OverlapRule = "tell" | "wait" | "refuse" | "off";

/** A command that makes a fresh worktree ready, before its agent starts. */
export interface WorktreeSetup {
  readonly command: string;
  /** Asked again and again until it exits 0, once `command` has. */
  readonly ready?: string;
  /** Milliseconds that both may take together. */
  readonly timeoutMs: number;
}

/** How agents get worktrees of their own, and how their edits come back. */
export interface WorktreeSettings {
  /** What a worktree begins from: the checkout with all that is not committed, HEAD alone, or the remote's default branch. */
  readonly baseRef: BaseRef;
  /** Folders, relative to the top of the checkout, that are linked or copied where they are there and git ignores them. */
  readonly dependencies: Readonly<Record<string, "link" | "copy">>;
  /** Null: none. */
  readonly setup: WorktreeSetup | null;
  /** A command that must exit 0 on the merged result before it reaches the checkout; null: none. */
  readonly check: string | null;
  /** Milliseconds. */
  readonly checkTimeoutMs: number;
  readonly merge: MergeMode;
  readonly overlap: OverlapRule;
}

/** What counts where nobody says otherwise. */
export const worktreeDefaults: WorktreeSettings = {
  baseRef: "checkout",
  dependencies: {},
  setup: null,
  check: null,
  checkTimeoutMs: 600_000,
  merge: "apply",
  overlap: "tell",
};
