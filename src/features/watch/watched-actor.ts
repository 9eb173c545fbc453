import type { Vitals } from "../../actors/hosts.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { Lifecycle } from "../../supervisor/lifecycle.ts";

/** What a watch knows of one actor. All times are of the session's monotonic clock, in milliseconds. */
export interface WatchedActor {
  readonly id: ActorId;
  /** Counts its runs: findings of an earlier one are dropped. */
  readonly run: number;
  readonly type: string;
  readonly description: string;
  readonly state: Lifecycle["state"];
  /** When this run got its first thread, or null. */
  readonly startedAt: number | null;
  /** Milliseconds from `startedAt`, or null. */
  readonly deadlineMs: number | null;
  /** Its running calls, oldest first. */
  readonly calls: readonly WatchedCall[];
  /**
   * Since when it is the model's turn without any sign of life: no message, no request, no notice of the gateway that
   * its request is queued, sent or being answered. Null if it is not the model's turn, or its wait is shown.
   */
  readonly silentSince: number | null;
  readonly vitals: () => Vitals;
}

export interface WatchedCall {
  readonly id: CallId;
  readonly tool: string;
  readonly title: string;
  readonly startedAt: number;
  /** True if it runs in the agent's own thread. */
  readonly local: boolean;
  /** Milliseconds it may take; null for no limit, as for a wait on a user or a child. */
  readonly deadlineMs: number | null;
}
