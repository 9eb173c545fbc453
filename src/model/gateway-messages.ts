import type { MessagePort } from "node:worker_threads";
import * as z from "zod/mini";
import type { ActorId } from "../mailbox/ids.ts";
import { type Notices, type Requests, unchecked } from "../mailbox/rpc/table.ts";
import type { GatewayNotice, MeteredRequest, ModelEvent, ModelOutcome, Reservation } from "./client.ts";
import type { SentRequest } from "./conversation-transfer.ts";

// Our own threads build the bodies, and a whole conversation per turn is too much to check twice.

/** What an agent asks the gateway. */
export const modelRequests = {
  ask: {
    request: unchecked<SentRequest>(),
    response: unchecked<ModelOutcome>(),
    event: unchecked<ModelEvent>(),
  },
  /** Its number of tokens. */
  count: { request: unchecked<SentRequest>(), response: unchecked<number | null>() },
} satisfies Requests;

export const modelNotices = {
  /** Whether text that was not asked for at the request is passed on as it is written; also of open requests. */
  watch: z.boolean(),
} satisfies Notices;

/** What the gateway's thread asks the session. */
export const budgetRequests = {
  reserve: { request: unchecked<MeteredRequest>(), response: unchecked<Reservation>() },
} satisfies Requests;

/** What the session tells the gateway's thread. */
export const gatewayNotices = {
  /** Attempts need a reservation from now on. */
  meter: z.null(),
  connect: unchecked<{
    readonly actor: ActorId;
    readonly lead: boolean;
    readonly side?: "side" | undefined;
    readonly port: MessagePort;
  }>(),
  disconnect: unchecked<ActorId>(),
} satisfies Notices;

export const reportNotices = { report: unchecked<GatewayNotice>() } satisfies Notices;
