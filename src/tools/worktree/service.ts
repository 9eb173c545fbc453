import type { CallContext } from "../tool.ts";

/** A new worktree with this name or a generated one, or an existing one by its path. */
export type WorktreeRequest =
  | { readonly type: "new"; readonly name: string | null }
  | { readonly type: "existing"; readonly path: string };

/** `reason` says what to do instead. */
export interface WorktreeRefused {
  readonly type: "refused";
  readonly reason: string;
}

/** `branch` is null if it is detached; `notes` say what the worktree does not have. */
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
      /** The working directory of the conversation. */
      readonly cwd: string;
      readonly branch: string | null;
      readonly path: string;
      /** The name under which it can be restored; null if it was kept. */
      readonly removed: string | null;
    }
  /** It has edits that are nowhere else, and discarding them was not requested. */
  | { readonly type: "unsaved"; readonly files: readonly string[] }
  | WorktreeRefused;

export type WorktreeAction = "keep" | "remove";

/** Moves the main conversation into a worktree and out again. */
export interface WorktreeService {
  enter(request: WorktreeRequest, context: CallContext): Promise<EnteredWorktree>;
  exit(action: WorktreeAction, discard: boolean, context: CallContext): Promise<LeftWorktree>;
}
