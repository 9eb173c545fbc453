import type { SessionState } from "../journal/session-state.ts";
import type { SessionId } from "../mailbox/ids.ts";

/** A session as its journal tells it, held by this process alone: what `SupervisorOptions.resume` takes. */
export interface RestoredSession {
  readonly id: SessionId;
  readonly home: string;
  readonly folder: string;
  /** The folder the session is about. */
  readonly cwd: string;
  readonly model: string;
  readonly title: string;
  readonly state: SessionState;
  /** Where its journal goes on. */
  readonly end: { readonly seq: number; readonly bytes: number };
  /** What was left out of the journal and why, one sentence each. */
  readonly notes: readonly string[];
  /** Lets other processes have it; the session that takes it up does this at its end. */
  release(): void;
}

export type Restoring =
  | { readonly type: "restored"; readonly session: RestoredSession }
  /** There is no such session, another process has it, or it cannot be read. */
  | { readonly type: "refused"; readonly reason: string };

export interface RestoreRequest {
  readonly home: string;
  /** The folder whose sessions are meant by `latest`. */
  readonly cwd: string;
  /** Its id, or a beginning of it that no other has. */
  readonly session: "latest" | { readonly id: string };
  /** Work on a copy with an id of its own; the session itself is only read. */
  readonly fork?: boolean;
}
