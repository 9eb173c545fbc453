import type { ActorId } from "../mailbox/ids.ts";
import type { Lines, ProcessRequest, ProcessResult } from "./requests.ts";

/** The stdin of a run that is piped. What is written after its end goes nowhere. */
export interface RunInput {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** What is told of a run while it runs; nothing after its result. */
export interface RunWatch {
  /** It could be started. */
  started?(): void;
  /** The same, of a run that is piped. */
  input?(input: RunInput): void;
  /** Of the stdout of a run that is piped. It is read only as fast as this returns. */
  bytes?(bytes: Uint8Array): void;
  /** See `follow`. */
  lines?(lines: Lines): void;
}

/**
 * Every child process of a session, started and owned by one helper process (the process host), so that
 * none survives its owner, the session, or a SIGKILL of the main process.
 */
export interface Processes {
  /** Never rejects: a child that cannot be started, or whose host died, is a result that says so. */
  run(request: ProcessRequest, signal?: AbortSignal, watch?: RunWatch): Promise<ProcessResult>;
  /**
   * Has the run of this id tell its watch of the lines that it writes to its file, from the byte `from` on;
   * without words of every line, else of those that contain one of them. Nothing where no such run is running.
   */
  follow(id: string, from: number, words: readonly string[]): void;
  /** Starts the host ahead of need. */
  warm(): void;
  /** Ends everything the actor started and waits until it is gone. */
  stopOwner(owner: ActorId): Promise<void>;
  /** Ends everything, then the host. Idempotent. */
  close(): Promise<void>;
}
