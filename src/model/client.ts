import type { MessagePort } from "node:worker_threads";
import type { ContentBlock, MessageParam, ToolDefinition, Usage } from "../mailbox/conversation.ts";
import type { Effort } from "../mailbox/effort.ts";
import type { ActorId } from "../mailbox/ids.ts";

/** One request, in our words. The provider adds cache breakpoints and its own field names. */
export interface ModelRequest {
  readonly actor: ActorId;
  /** An alias (opus, sonnet, haiku) or a full id. */
  readonly model: string;
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly MessageParam[];
  readonly maxTokens: number;
  /** Extended thinking is opt-in (A1.15): tokens to think with. */
  readonly thinkingTokens?: number;
  readonly effort?: Effort;
  /** The last turn, which must be text: tools stay in the request (they are part of the cached prefix). */
  readonly withoutTools?: boolean;
  /** The API's own search, run once by its endpoint; one list of domains at most. */
  readonly webSearch?: { readonly allowed?: readonly string[]; readonly blocked?: readonly string[] };
  /** True if the text is shown while it is written. */
  readonly streamText?: boolean;
}

/** One whole reply: `content` holds only blocks that were closed (A22.22). */
export interface ModelReply {
  readonly content: readonly ContentBlock[];
  /** The API's own; unknown ones are kept as they came. `incomplete`: the client knows that it did not do what was asked. */
  readonly stopReason: string;
  readonly usage: Usage;
  /** The id the server says it answered with. */
  readonly model: string;
  /** Milliseconds from the last attempt's sending to its end, without waiting for a slot or a retry. */
  readonly apiMs: number;
  /** The server's own counts were not possible ones; `usage` is. */
  readonly oddUsage?: true;
  /** Of the last request, where the reply took several. */
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

/** Why there is no reply. `message` is one sentence for a person that names the thing and what to do. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  readonly status?: number;
  /** Milliseconds the server asked everyone to wait. */
  readonly retryAfterMs?: number;
  /** What had been said when it broke off. */
  readonly partialText?: string;
  /** What it has cost all the same: a reply that had begun and broke off. */
  readonly usage?: Usage;
  /** Trying again cannot help, though it often does for this kind: a certificate, for instance. */
  readonly final?: true;
}

/** What happens before the end. */
export type ModelEvent =
  /** Waiting for `ms`, for a countdown: then attempt `attempt + 1` is made, or (null) a silent stream is given up. */
  | {
      readonly type: "waiting";
      readonly reason: string;
      readonly ms: number;
      readonly attempt: number | null;
    }
  | { readonly type: "text"; readonly text: string }
  /** The model has begun to write a call of this tool. */
  | { readonly type: "call-begins"; readonly tool: string };

export type OnModelEvent = (event: ModelEvent) => void;

/** Called when the server begins to answer: true if the request was let in, false if it was refused. */
export type OnServerAnswer = (accepted: boolean) => void;

/**
 * What a provider implements: one attempt at one reply (docs/models.md, "Adding a provider"). `ask` never rejects, never
 * retries and never waits for a slot; an aborted signal ends it with a `cancelled` failure. A client that cannot tell when
 * the server begins to answer never calls `onAnswer`.
 */
export interface ModelClient {
  readonly name: string;
  ask(
    request: ModelRequest,
    on: OnModelEvent,
    signal: AbortSignal,
    onAnswer?: OnServerAnswer,
  ): Promise<ModelOutcome>;
  /** Absent: it cannot count. */
  readonly countTokens?: CountTokens;
}

/**
 * Returns how many tokens a request is by the server's own count, or null if it does not count or not in time. Never
 * rejects, and takes no longer than a few seconds.
 */
export type CountTokens = (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;

export type ModelOutcome =
  | { readonly type: "reply"; readonly reply: ModelReply }
  | { readonly type: "failure"; readonly failure: ModelFailure };

/** What one attempt may cost at most. */
export interface MeteredRequest {
  readonly actor: ActorId;
  readonly model: string;
  /** Tokens of its prompt, at most. */
  readonly promptTokens: number;
  /** The server's own count would hardly be less. */
  readonly exact: boolean;
  readonly maxTokens: number;
  /** It is the last one of its actor, which a part of the budget is kept for. */
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

/** What the gateway tells the session about all its requests together. */
export type GatewayNotice =
  /** A request of this actor is in line or being answered. */
  | { readonly type: "open"; readonly actor: ActorId }
  | {
      readonly type: "usage";
      readonly actor: ActorId;
      /** The ID that the server says it answered with. */
      readonly model: string;
      /** The ID that was asked for. */
      readonly asked: string;
      readonly usage: Usage;
      readonly apiMs: number;
      /** What was reserved for it. */
      readonly reservation?: number;
      /** It broke off: no reply came of it. */
      readonly broken?: true;
      /** The server's own counts were not possible ones. */
      readonly odd?: true;
    }
  | {
      readonly type: "waiting";
      readonly actor: ActorId;
      readonly reason: string;
      readonly ms: number;
      readonly attempt: number | null;
    }
  /** Nothing came of a request that money was reserved for. */
  | { readonly type: "unused"; readonly reservation: number }
  /** Its thread had died and was started again; agents ask for a new port. `reason` is a sentence. */
  | { readonly type: "restarted"; readonly reason: string };

/**
 * Where agents get their models from. Each agent has a port of its own; requests and cancellations on it
 * are that agent's. The port closes when the gateway's thread dies; `connect` then gives another one.
 */
export interface Gateway {
  /**
   * The port to hand to the agent; one that it had before is closed. `lead`: the main conversation, served
   * before the others. If the gateway `isOver`, a closed port. `side`: a port in addition to the agent's own, for a request
   * that is made on its behalf; its holder closes it.
   */
  connect(actor: ActorId, lead: boolean, side?: "side"): MessagePort;
  /** True once it was closed or given up: no port of it answers. */
  readonly isOver: boolean;
  /** Ends every request of the actor and closes its port. */
  disconnect(actor: ActorId): void;
  onNotice(listener: (notice: GatewayNotice) => void): void;
  /** From now on money is reserved for each attempt before it is sent. */
  meter(reserve: Reserve): void;
  /**
   * The gateway died oftener than it is started again; every port of it is closed, now and later. `reason`
   * is a sentence.
   */
  onClosed(listener: (reason: string) => void): void;
  /** Ends every request and closes every port. Idempotent. */
  close(): Promise<void>;
}
