import type { ActorId } from "../mailbox/ids.ts";
import type { Lines, ProcessRequest, ProcessResult } from "./requests.ts";

/** The stdin of a piped run. Input written after its end is dropped. */
export interface RunInput {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** What a run reports while it runs; nothing after its result. */
export interface RunWatch {
  started?(): void;
  input?(input: RunInput): void;
  /** Receives the stdout of a piped run, which is read only as fast as this returns. */
  bytes?(bytes: Uint8Array): void;
  lines?(lines: Lines): void;
}

/** A session's child processes. Their host ends them with their owner, the session, or a killed main process. */
export interface Processes {
  /** Never rejects: the result says if a child could not be started, or its host died. */
  run(request: ProcessRequest, signal?: AbortSignal, watch?: RunWatch): Promise<ProcessResult>;
  /** Makes a run report the lines of its file from a byte on, with one of `words` if there are any. */
  follow(id: string, from: number, words: readonly string[]): void;
  /** Takes the timeout of a run away. */
  untime(id: string): void;
  warm(): void;
  /** Ends everything the actor started and waits until it has ended. */
  stopOwner(owner: ActorId): Promise<void>;
  /** Ends everything, then the host. Idempotent. */
  close(): Promise<void>;
}
