import type { ActorId } from "../mailbox/ids.ts";
import type { RunRequest, RunResult } from "../mailbox/runs.ts";

/**
 * Every child process of a session, started and owned by one helper process (the process host), so that
 * none survives its owner, the session, or a SIGKILL of the main process.
 */
export interface Processes {
  /** Never rejects: a child that cannot be started, or whose host died, is a result that says so. */
  run(request: RunRequest, signal?: AbortSignal): Promise<RunResult>;
  /** Starts the host ahead of need. */
  warm(): void;
  /** Ends everything the actor started and waits until it is gone. */
  stopOwner(owner: ActorId): Promise<void>;
  /** Ends everything, then the host. Idempotent. */
  close(): Promise<void>;
}
