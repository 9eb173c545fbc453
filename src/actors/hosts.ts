import type { MessagePort } from "node:worker_threads";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { ActorSpec, FromAgent, ToAgent } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";

/** Where actors run. Thread or not, the caller cannot tell. */
export interface ActorHost {
  /** Never throws: an actor that cannot be started is one that has exited. */
  start(start: ActorStart): ActorHandle;
  /** Boots up to `count` idle threads ahead of need. */
  warm(count: number): void;
  load(): HostLoad;
  /** Ends every thread; pending actors exit as `terminated`. Idempotent. */
  close(): Promise<void>;
}

export interface ActorStart {
  readonly spec: ActorSpec;
  readonly services: Services;
  /** The agent's lane to the model gateway; handed over. */
  readonly model: MessagePort;
  readonly onDeadLetter?: (letter: unknown, reason: string) => void;
}

export interface ActorHandle {
  readonly mail: Mailbox<FromAgent, ToAgent>;
  /** How the thread parted from the actor. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Ends the actor's thread at once; `finally` blocks in it do not run. */
  terminate(): void;
  /** How its thread is, seen from outside, without a word from the agent: also while it spins. Never throws. */
  vitals(): Vitals;
}

export interface HostLoad {
  /** Actors that are in a thread now. */
  readonly threads: number;
  /** Actors that were started and wait for one. */
  readonly waiting: number;
}

/** `unknown`: it is in no thread, or its host cannot see into it. Another machine's host answers from its heartbeat. */
export type Vitals =
  | { readonly type: "unknown" }
  | {
      readonly type: "thread";
      /** The share of the time since the last look in which its loop did not rest, 0 to 1. */
      readonly utilization: number;
      /** Milliseconds since its loop was last known to turn; never more than they are, less by up to the time between two looks. */
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
