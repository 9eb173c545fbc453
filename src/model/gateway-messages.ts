import type { MessagePort } from "node:worker_threads";
import type { ActorId } from "../mailbox/ids.ts";
import type { GatewayNotice, MeteredRequest, ModelEvent, ModelOutcome, Reservation } from "./client.ts";
import type { SentRequest } from "./conversation-transfer.ts";

/** Messages from an agent's port to the gateway. `id` is the agent's own counter. */
export type ToGateway =
  | { readonly type: "ask"; readonly id: number; readonly request: SentRequest }
  | { readonly type: "cancel"; readonly id: number }
  /** Asks for its number of tokens. */
  | { readonly type: "count"; readonly id: number; readonly request: SentRequest }
  /** Whether text that was not asked for at the request is passed on as it is written; also of open requests. */
  | { readonly type: "watch"; readonly on: boolean };

export type FromGateway =
  | { readonly type: "event"; readonly id: number; readonly event: ModelEvent }
  | { readonly type: "outcome"; readonly id: number; readonly outcome: ModelOutcome }
  | { readonly type: "counted"; readonly id: number; readonly tokens: number | null };

/** Messages to the gateway's thread. */
export type ToGatewayThread =
  | { readonly type: "meter" }
  | { readonly type: "reserved"; readonly n: number; readonly answer: Reservation }
  | {
      readonly type: "connect";
      readonly actor: ActorId;
      readonly lead: boolean;
      readonly side?: "side";
      readonly port: MessagePort;
    }
  | { readonly type: "disconnect"; readonly actor: ActorId };

/** Messages from the gateway's thread. */
export type FromGatewayThread =
  | GatewayNotice
  | { readonly type: "reserve"; readonly n: number; readonly request: MeteredRequest }
  | { readonly type: "withdraw"; readonly n: number };
