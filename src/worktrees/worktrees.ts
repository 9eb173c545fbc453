import type { AnswerOf, OperationName, RequestOf } from "./protocol.ts";

/**
 * Git worktrees of agents, and how their edits come back (issue "Isolated edits that really come back"). None of these
 * rejects but for a bug or for an aborted `signal`; what cannot be done is `refused`, with a sentence.
 */
export type Worktrees = {
  readonly [Op in OperationName]: (request: RequestOf<Op>, signal?: AbortSignal) => Promise<AnswerOf<Op>>;
} & {
  /** Lets what is under way come to its end, then ends the keeper's process. Idempotent. */
  close(): Promise<void>;
};
