import type { Vitals } from "../../actors/hosts.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { Lifecycle } from "../../supervisor/lifecycle.ts";

/** What a watch knows of one actor. All times are of the session's monotonic clock, in milliseconds. */
export interface WatchedActor {
  readonly id: ActorId;
  /** Counts its runs: what was found of an earlier one is forgotten. */
  readonly run: number;
  readonly type: string;
  readonly description: string;
  readonly state: Lifecycle["state"];
  /** When this run got its first thread; null: not yet. */
  readonly startedAt: number | null;
  /** Milliseconds from `startedAt`; null: none. */
  readonly deadlineMs: number | null;
  /** What runs for it now, oldest first. */
  readonly calls: readonly WatchedCall[];
  /**
   * Since when nothing was heard while it is the model's turn: no letter, no question, no word of the gateway that
   * its request is in line, was sent or is being answered. Null: it is somebody else's turn, or its wait is shown.
   */
  readonly silentSince: number | null;
  readonly vitals: () => Vitals;
}

export interface WatchedCall {
  readonly id: CallId;
  readonly tool: string;
  readonly title: string;
  readonly startedAt: number;
  /** Runs in the agent's own thread. */
  readonly local: boolean;
  /** Milliseconds it may take; null: as long as it likes, as what waits for a person or a child. */
  readonly deadlineMs: number | null;
}
