import type { MessagePort } from "node:worker_threads";
import type { ActorSpec, FromAgent } from "../mailbox/messages.ts";
import type { OfferedSpec, Paid, RunnerRules, SentFiles } from "../mailbox/runners.ts";
import type { Services } from "../mailbox/services.ts";

/** Where actors run; the caller does not see where that is. */
export interface ActorHost {
  /** Never throws: an actor that cannot be started counts as exited. */
  start(start: ActorStart): ActorHandle;
  /** Starts what a call of this tool will need. */
  warm(tool: string): void;
  load(): HostLoad;
  /** Ends every thread; pending actors exit as `terminated`. Idempotent. */
  close(): Promise<void>;
}

export interface ActorStart {
  readonly spec: ActorSpec;
  readonly services: Services;
  /** Returns a channel to the model gateway for the agent; its taker owns it. Throws if the gateway is gone. */
  connect(): MessagePort;
  /** What its session does for it if it runs on a runner; null if no runners are set up. */
  readonly elsewhere: SessionSide | null;
  /** Runners were lost with it, without a turn in between, and the next one would end it. */
  readonly isSuspect: boolean;
  /** What the agent reports of itself, for users; nothing depends on it. */
  onReport(report: FromAgent): void;
}

/** What a session does for an actor on a runner, in addition to its services. */
export interface SessionSide {
  /** What a runner needs to be this agent, apart from its spec. */
  readonly offer: Pick<OfferedSpec, "version" | "files" | "setup" | "lent">;
  /**
   * Bundles its files as they are now, for a runner that has these commits, or pushes them to the remote if the runner has
   * one, too. Rejects with a sentence.
   */
  sendFiles(
    have: readonly string[],
    hasRemote: boolean,
  ): Promise<Omit<SentFiles, "bundle"> & { readonly bundle: Uint8Array | null }>;
  /** Makes its files here what they are on its runner, durably. A bundle is null if they are in the remote. Rejects with a sentence. */
  takeEdits(commit: string, bundle: Uint8Array | null): Promise<void>;
  /** The attempt is over: nothing more travels for it. */
  endTravel(): void;
  /** Whether its files here have changed since they were sent or taken, so that a runner must get them again. */
  hasNewFiles(): boolean;
  /** Books a request to a model. */
  paid(paid: Paid): void;
  /** Returns the permission rules in force, by which the runner evaluates calls as well. */
  rules(): RunnerRules;
}

export interface ActorHandle {
  /** Resolves with how the actor ended. Never rejects. */
  readonly exited: Promise<Exit>;
  /** Whether it reports the text of its replies as it is written; the main conversation always does. */
  watch(on: boolean): void;
  /** Asks the actor to end with a summary. */
  cancel(reason: string): void;
  /** Ends the actor immediately, and the thread in which its calls run. */
  terminate(): void;
  /** Returns the state of the thread in which its calls run, seen from outside. Never throws. */
  vitals(): Vitals;
}

export interface HostLoad {
  /** Actors that have a thread now. */
  readonly threads: number;
  /** Actors that wait for one. */
  readonly waiting: number;
}

/** `unknown`: it has no thread, or its host cannot see into it. */
export type Vitals =
  | { readonly type: "unknown" }
  /** Milliseconds since its runner was last heard of: it may be alive and unreachable, so nothing ends it for that. */
  | { readonly type: "away"; readonly sinceMs: number }
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
  | { readonly type: "terminated" }
  /** Its machine cannot be reached, so another one continues it. `begun`: it had begun to work there, and may be the reason. */
  | { readonly type: "lost"; readonly runner: string; readonly begun: boolean }
  /** Its runner stopped it where it can be continued; `reason` is a clause. */
  | { readonly type: "parked"; readonly reason: string };
