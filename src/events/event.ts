import type { ContentBlockParam, Usage } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { ModelPause } from "../mailbox/model-pause.ts";
import type { UserAnswer, UserRequest } from "../policy/asks.ts";
import type { AgentResult } from "./agent-result.ts";
import type { CallEvent } from "./call.ts";

/** The states of an agent, in the order in which it passes them. */
export type AgentState = "queued" | "starting" | "running" | "paused" | "waiting" | "cancelling" | "ended";

/** What an agent is doing right now, in words a person can read. */
export type Activity =
  | { readonly type: "idle" }
  | { readonly type: "model" }
  | { readonly type: "tool"; readonly tool: string; readonly title: string }
  /** `attempt` as in the `waiting` event: null where a silent stream is given up at `until`. */
  | {
      readonly type: "retrying";
      readonly reason: string;
      readonly until: number;
      readonly attempt: number | null;
    }
  /** Its model is paused, since `from`; `at` is `until` in wall time, ISO 8601. */
  | {
      readonly type: "paused";
      readonly model: string;
      readonly reason: string;
      readonly from: number;
      readonly until: number;
      readonly at: string;
    };

/** Why the model is waited for. */
export type ModelWait = Extract<Activity, { type: "retrying" | "paused" }>;

/** One line of the live tree. Times are of the session's monotonic clock, in milliseconds. */
export interface AgentView {
  readonly id: ActorId;
  readonly parent: ActorId | null;
  readonly depth: number;
  readonly type: string;
  readonly description: string;
  /** The call that asked for its run, or null: a user or a program did. */
  readonly call: CallId | null;
  /** Of `spawn`: what it does in its session. */
  readonly key?: string;
  /** With a `key`: a later spawn with this key gets its result, and starts no agent. */
  readonly answersKey?: boolean;
  readonly state: AgentState;
  readonly activity: Activity;
  /** The step it works on, as it calls the step, or null if it keeps no list. */
  readonly doing: string | null;
  readonly model: string;
  readonly turns: number;
  readonly usage: Usage;
  /** As far as prices are known. */
  readonly costUsd: number;
  /** Its result comes as a notice. */
  readonly background: boolean;
  /** Its loop runs. One that has answered and is kept for its background has none. */
  readonly hasLoop: boolean;
  /** When anything came from it or for it last. */
  readonly lastSignAt: number;
  /** What a watch has found wrong, as a sentence, or null. */
  readonly trouble: string | null;
  /** Where another agent writes to the same file, as a short phrase, or null. */
  readonly overlap: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly summary: Summary | null;
}

/** Why the user must look at a result: its edits are not in the checkout, its check failed, or its budget ran out. */
export type ResultDecision = "conflict" | "rejected" | "over_budget" | "unmerged";

/** Something that waits for the user, as `troupe inbox` lists it. */
export type WaitingForUser =
  | UserRequest
  | { readonly type: "paused"; readonly pause: ModelPause }
  | {
      readonly type: "result";
      readonly decision: ResultDecision;
      readonly actor: ActorId;
      readonly title: string;
      readonly summary: Summary;
    };

/** A message of a conversation, once it is recorded: a reply, results of calls, notices. */
export interface MessageEvent {
  readonly type: "message";
  readonly actor: ActorId;
  readonly turn: number;
  readonly role: "user" | "assistant";
  readonly content: string | readonly ContentBlockParam[];
  /** Of a reply. */
  readonly model?: string;
  readonly usage?: Usage;
}

/** What a session reports to its listener. None of it needs an answer. */
export type SupervisorEvent =
  | CallEvent
  | MessageEvent
  | { readonly type: "agent"; readonly view: AgentView }
  /** A piece of the main conversation's visible reply, as it is written; pieces of one reply have one `turn`. */
  | { readonly type: "text"; readonly actor: ActorId; readonly text: string; readonly turn: number }
  /** The model is being waited for; show a countdown. */
  | {
      readonly type: "waiting";
      readonly actor: ActorId;
      readonly reason: string;
      readonly ms: number;
      /** Null: nothing is tried again, a silent stream is given up then. */
      readonly attempt: number | null;
    }
  /**
   * A model is paused for a limit, or because its server is out of reach: all agents that need it wait, and one tries
   * again at `until`. `since`: the first pause since it answered last. Both ISO 8601. Reported once for each time.
   */
  | {
      readonly type: "paused";
      readonly model: string;
      readonly until: string;
      readonly since: string;
      readonly reason: string;
    }
  /**
   * Something waits for the user, who can answer it here or with `troupe inbox`. Again with this `id` if it has changed:
   * another agent asks for the same, or a pause takes longer.
   */
  | { readonly type: "asked"; readonly id: string; readonly what: WaitingForUser }
  /** That no longer waits. `answer`: the user's, from wherever it came; null if it ended without one. */
  | { readonly type: "settled"; readonly id: string; readonly answer: UserAnswer | null }
  /** A notice made the main conversation continue by itself; `because` says which, for people. */
  | { readonly type: "woken"; readonly because: string }
  /** Its result. */
  | { readonly type: "answered"; readonly result: AgentResult }
  | { readonly type: "warning"; readonly message: string };
