import type { CallContext } from "../tool.ts";

/** A worktree to be made, by this name or one that is found for it; or one that is there, by its folder. */
export type WorktreeRequest =
  | { readonly type: "new"; readonly name: string | null }
  | { readonly type: "existing"; readonly path: string };

/** `reason` is a sentence that says what to do instead. */
export interface WorktreeRefused {
  readonly type: "refused";
  readonly reason: string;
}

/** `branch` null: detached. `notes`: what the worktree does not have, in sentences. */
export type EnteredWorktree =
  | {
      readonly type: "entered";
      readonly path: string;
      readonly branch: string | null;
      readonly cwd: string;
      readonly isNew: boolean;
      readonly notes: readonly string[];
    }
  | WorktreeRefused;

export type LeftWorktree =
  | {
      readonly type: "left";
      /** Where the conversation is again. */
      readonly cwd: string;
      readonly branch: string | null;
      readonly path: string;
      /** The name under which it can be put back; null: it was kept. */
      readonly removed: string | null;
    }
  /** It has edits that are nowhere else, and it was not said that they may go. */
  | { readonly type: "unsaved"; readonly files: readonly string[] }
  | WorktreeRefused;

export type WorktreeAction = "keep" | "remove";

/** Who moves the main conversation into a worktree and out again: the supervisor. */
export interface WorktreeService {
  enter(wish: WorktreeRequest, context: CallContext): Promise<EnteredWorktree>;
  exit(action: WorktreeAction, discard: boolean, context: CallContext): Promise<LeftWorktree>;
}
