import type { MergeMode } from "../../mailbox/worktree.ts";
import type { BaseRef } from "../../worktrees/protocol.ts";
import type { OverlapRule } from "../writers/file-writers.ts";

/** A command that sets up a new worktree before its agent starts. */
export interface WorktreeSetup {
  readonly command: string;
  /** Repeated until it exits with 0, after `command`. */
  readonly ready?: string;
  /** Milliseconds for both together. */
  readonly timeoutMs: number;
}

/** How agents get their own worktrees, and how their edits are merged. */
export interface WorktreeSettings {
  /** What a worktree starts from: the checkout with uncommitted changes, HEAD alone, or the remote's default branch. */
  readonly baseRef: BaseRef;
  /** Directories, relative to the top of the checkout, that are linked or copied if they exist and git ignores them. */
  readonly dependencies: Readonly<Record<string, "link" | "copy">>;
  readonly setup: WorktreeSetup | null;
  /** A command that must exit with 0 on the merged result before it reaches the checkout, or null. */
  readonly check: string | null;
  /** Milliseconds. */
  readonly checkTimeoutMs: number;
  readonly merge: MergeMode;
  readonly overlap: OverlapRule;
}

/** The default settings. */
export const worktreeDefaults: WorktreeSettings = {
  baseRef: "checkout",
  dependencies: {},
  setup: null,
  check: null,
  checkTimeoutMs: 600_000,
  merge: "apply",
  overlap: "tell",
};
