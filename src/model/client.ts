import type { MessagePort } from "node:worker_threads";
import type { ContentBlock, MessageParam, ToolDefinition, Usage } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Effort, ModelPause } from "../mailbox/model.ts";

/** One request, independent of a provider, which adds cache breakpoints and its own field names. */
export interface ModelRequest {
  readonly actor: ActorId;
  /** An alias (opus, sonnet, haiku, fable) or a full ID. */
  readonly model: string;
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly MessageParam[];
  readonly maxTokens: number;
  /** The token budget of extended thinking, which is opt-in (A1.15). */
  readonly thinkingTokens?: number;
  readonly effort?: Effort;
  /** The last turn, which must be text: tools stay in the request (they are part of the cached prefix). */
  readonly withoutTools?: boolean;
  /** With `withoutTools`: only its messages say so. The API would not read the cached conversation otherwise. */
  readonly wordsAlone?: boolean;
  /** The API's own search, run once by its endpoint; one list of domains at most. */
  readonly webSearch?: { readonly allowed?: readonly string[]; readonly blocked?: readonly string[] };
  /** True if text and thoughts are shown while they are written. */
  readonly streamText?: boolean;
}

/** One whole reply: `content` has only complete blocks (A22.22). */
export interface ModelReply {
  readonly content: readonly ContentBlock[];
  /** The API's own value; unknown ones are kept. `incomplete`: the client knows that the request was not fulfilled. */
  readonly stopReason: string;
  /** Why it was refused, by the server. */
  readonly refusal?: string;
  readonly usage: Usage;
  /** The ID that the server reports. */
  readonly model: string;
  /** Duration of the last attempt in milliseconds, without waiting for a slot or a retry. */
  readonly apiMs: number;
  /** The server's own counts were impossible; `usage` is corrected. */
  readonly oddUsage?: true;
  /** Of the last request, if the reply needed several. */
  readonly lastUsage?: Usage;
}

export type ModelFailureKind =
  | "auth"
  | "invalid_request"
  | "not_found"
  | "spend_limit"
  | "rate_limit"
  | "overloaded"
  | "server"
  | "connection"
  | "stalled"
  | "protocol"
  | "too_large"
  | "over_budget"
  | "cancelled";

/** Why there is no reply. `message` is one sentence for the user that names the cause and what to do. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  readonly status?: number;
  /** Milliseconds the server asked all clients to wait. */
  readonly retryAfterMs?: number;
  /** The text received before it broke off. */
  readonly partialText?: string;
  /** The cost of a started reply that broke off. */
  readonly usage?: Usage;
  /** A retry cannot help, though it often does for this type: a certificate, for instance. */
  readonly final?: true;
}

/** What happens before the end. */
export type ModelEvent =
  /** Waiting for `ms`, for a countdown: then attempt `attempt + 1` starts, or (null) a silent stream is given up. */
  | {
      readonly type: "waiting";
      readonly reason: string;
      readonly ms: number;
      readonly attempt: number | null;
      /** Of the failed attempt, if the server gave one. */
      readonly status?: number;
    }
  | { readonly type: "paused"; readonly pause: ModelPause }
  /** A request that was paused is sent. */
  | { readonly type: "unpaused" }
  | { readonly type: "text"; readonly text: string }
  /** A part of what it thinks before it answers; `forUser`: it tells what it does between calls. */
  | { readonly type: "thinking"; readonly text: string; readonly forUser?: true }
  /** The model has started to write a call of this tool. */
  | { readonly type: "call-begins"; readonly tool: string };

export type OnModelEvent = (event: ModelEvent) => void;

/** Called when the reply begins (true), or when the server refuses the request (false). */
export type OnServerAnswer = (accepted: boolean) => void;

/**
 * What a provider implements: one attempt at one reply (docs/models.md, "Adding a provider"). `ask` never rejects,
 * never retries and never waits for a slot; an aborted signal ends it with a `cancelled` failure. A client that cannot
 * detect when a reply begins never calls `onAnswer`.
 */
export interface ModelClient {
  readonly name: string;
  ask(
    request: ModelRequest,
    on: OnModelEvent,
    signal: AbortSignal,
    onAnswer?: OnServerAnswer,
  ): Promise<ModelOutcome>;
  /** Absent if it cannot count. */
  readonly countTokens?: CountTokens;
}

/**
 * Returns the server's own token count of a request, or null if it does not count or not in time. Never rejects, and
 * takes at most a few seconds.
 */
export type CountTokens = (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;

/** What a request to a model brings. */
export type ModelOutcome =
  | { readonly type: "reply"; readonly reply: ModelReply }
  | { readonly type: "failure"; readonly failure: ModelFailure };

/** The maximum cost of one attempt. */
export interface MeteredRequest {
  readonly actor: ActorId;
  readonly model: string;
  /** Tokens of its prompt, at most. */
  readonly promptTokens: number;
  /** The server's own count would hardly be less. */
  readonly exact: boolean;
  readonly maxTokens: number;
  /** The last request of its actor, for which a part of the budget is reserved. */
  readonly last: boolean;
}

export type Reservation =
  /** It may be sent, with at most `maxTokens` for its reply. */
  | { readonly type: "granted"; readonly id: number; readonly maxTokens: number }
  /** It does not fit as it is: ask again with a count. */
  | { readonly type: "count" }
  /** `reason` is a sentence. */
  | { readonly type: "refused"; readonly reason: string };

/** Asks the owner of the budget. Waits while other requests may still release money. Never rejects. */
export type Reserve = (request: MeteredRequest, signal: AbortSignal) => Promise<Reservation>;

/** What the gateway reports to the session about all its requests. */
export type GatewayNotice =
  /** A request of this actor is queued or in progress. */
  | { readonly type: "open"; readonly actor: ActorId }
  | {
      readonly type: "usage";
      readonly actor: ActorId;
      /** The ID that the server says it answered with. */
      readonly model: string;
      /** The requested ID. */
      readonly asked: string;
      readonly usage: Usage;
      readonly apiMs: number;
      /** What was reserved for it. */
      readonly reservation?: number;
      /** It broke off without a reply. */
      readonly broken?: true;
      /** The server's own counts were impossible. */
      readonly odd?: true;
    }
  | {
      readonly type: "waiting";
      readonly actor: ActorId;
      readonly reason: string;
      readonly ms: number;
      readonly attempt: number | null;
      readonly status?: number;
    }
  | { readonly type: "paused"; readonly actor: ActorId; readonly pause: ModelPause }
  | { readonly type: "unpaused"; readonly actor: ActorId }
  /** A request with a reservation was never sent or cost nothing. */
  | { readonly type: "unused"; readonly reservation: number }
  /** Its thread died and was restarted; agents ask for a new port. `reason` is a sentence. */
  | { readonly type: "restarted"; readonly reason: string };

/**
 * Connects agents to their models. Each agent has its own port for requests and cancellations. The port closes when the
 * gateway's thread dies; `connect` then gives another one.
 */
export interface Gateway {
  /**
   * Returns the agent's port; closes an earlier one. `lead`: the main conversation, served before the others. If the
   * gateway `isOver`, a closed port. `side`: an additional port for a request on the agent's behalf; its holder closes
   * it.
   */
  connect(actor: ActorId, lead: boolean, side?: "side"): MessagePort;
  /** True once it was closed or given up: its ports no longer respond. */
  readonly isOver: boolean;
  /** Ends every request of the actor and closes its port. */
  disconnect(actor: ActorId): void;
  onNotice(listener: (notice: GatewayNotice) => void): void;
  /** Reserves money for each attempt from now on, before it is sent. */
  meter(reserve: Reserve): void;
  /** The gateway died too often to be restarted; all its ports are closed. `reason` is a sentence. */
  onClosed(listener: (reason: string) => void): void;
  /** Ends every request and closes every port. Idempotent. */
  close(): Promise<void>;
}
