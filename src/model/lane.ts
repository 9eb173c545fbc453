import type { Parted } from "../mailbox/shared-history.ts";
import type { ModelEvent, ModelOutcome, ModelRequest } from "./client.ts";

/** A request on its way: what its conversation shares with others' is not copied. */
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
