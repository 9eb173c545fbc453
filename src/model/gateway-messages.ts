import type { MessagePort } from "node:worker_threads";
import type { ActorId } from "../mailbox/ids.ts";
import type { Parted } from "../mailbox/shared-history.ts";
import type {
  GatewayNotice,
  MeteredRequest,
  ModelEvent,
  ModelOutcome,
  ModelRequest,
  Reservation,
} from "./client.ts";

/** A request in flight: what its conversation shares with others' is not copied. */
export type PartedRequest = Omit<ModelRequest, "messages"> & Parted;

/** What travels on an agent's port to the gateway. `id` is the agent's own counter. */
export type ToGateway =
  | { readonly type: "ask"; readonly id: number; readonly request: PartedRequest }
  | { readonly type: "cancel"; readonly id: number }
  /** How many tokens it is. */
  | { readonly type: "count"; readonly id: number; readonly request: PartedRequest };

export type FromGateway =
  | { readonly type: "event"; readonly id: number; readonly event: ModelEvent }
  | { readonly type: "outcome"; readonly id: number; readonly outcome: ModelOutcome }
  | { readonly type: "counted"; readonly id: number; readonly tokens: number | null };

/** What travels to the gateway's thread. */
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

/** What the gateway's thread sends. */
export type FromGatewayThread =
  | GatewayNotice
  | { readonly type: "reserve"; readonly n: number; readonly request: MeteredRequest }
  | { readonly type: "withdraw"; readonly n: number };
