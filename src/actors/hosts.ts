import type { MessagePort } from "node:worker_threads";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { ActorSpec, FromAgent, ToAgent } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";

/** Where actors run; the caller does not see whether that is a thread. */
export interface ActorHost {
  /** Never throws: an actor that cannot be started counts as exited. */
  start(start: ActorStart): ActorHandle;
  /** Starts up to `count` idle threads in advance. */
  warm(count: number): void;
  load(): HostLoad;
  /** Ends every thread; pending actors exit as `terminated`. Idempotent. */
  close(): Promise<void>;
}

export interface ActorStart {
  readonly spec: ActorSpec;
  readonly services: Services;
  /** The agent's channel to the model gateway; transferred. */
  readonly model: MessagePort;
  readonly onDeadLetter?: (letter: unknown, reason: string) => void;
}

export interface ActorHandle {
  readonly mail: Mailbox<FromAgent, ToAgent>;
  /** Resolves with how the actor left its thread. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends the actor's thread immediately; `finally` blocks in it do not run. */
  terminate(): void;
  /** Returns the thread's state, seen from outside, even while the agent spins. Never throws. */
  vitals(): Vitals;
}

export interface HostLoad {
  /** Actors that are in a thread now. */
  readonly threads: number;
  /** Started actors that wait for a thread. */
  readonly waiting: number;
}

/** `unknown`: it is in no thread, or its host cannot see into it. A remote host answers from its heartbeat. */
export type Vitals =
  | { readonly type: "unknown" }
  | {
      readonly type: "thread";
      /** The share of the time since the last check in which its loop was busy, 0 to 1. */
      readonly utilization: number;
      /**
       * Milliseconds since its loop was last known to run: never too many, too few by at most the time between two
       * checks.
       */
      readonly blockedMs: number;
      /** Milliseconds since the actor took this thread. */
      readonly boardedMs: number;
    };

export const UNKNOWN_VITALS: Vitals = { type: "unknown" };

export type Exit =
  | { readonly type: "returned" }
  | { readonly type: "threw"; readonly message: string }
  | { readonly type: "died"; readonly message: string }
  | { readonly type: "out-of-memory" }
  | { readonly type: "terminated" };
