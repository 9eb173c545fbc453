import type { AnswerOf, GitRequest, OperationName } from "./protocol.ts";

/**
 * Git worktrees of agents and the merges of their edits. Rejects only for a bug or an aborted `signal`; what is
 * impossible is `refused`, with a sentence.
 */
export type Worktrees = {
  readonly [Op in OperationName]: (request: GitRequest<Op>, signal?: AbortSignal) => Promise<AnswerOf<Op>>;
} & {
  /** Waits for operations in progress, then ends the git worker's process. Idempotent. */
  close(): Promise<void>;
};
