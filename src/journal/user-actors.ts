import * as z from "zod/mini";
import { isObject } from "../lib/objects.ts";
import { ActorId } from "../mailbox/ids.ts";
import type { JsonSchema } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";

/** An agent that an actor starts: what `spawn` of a session takes, as far as it is JSON. */
export interface AgentOrder {
  readonly prompt: string;
  readonly type?: string;
  readonly description?: string;
  readonly model?: string;
  readonly isolation?: "worktree";
  readonly merge?: MergeMode;
  readonly output?: JsonSchema;
  /** Milliseconds. */
  readonly timeoutMs?: number;
  readonly tokenBudget?: number;
}

/** `spawn` checks the rest. */
const Order = z.custom<AgentOrder>((value) => isObject(value) && typeof value["prompt"] === "string");

/** What a message handler wants done once its state is durable. `key` is unique in the session. */
export const Outgoing = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    key: z.string(),
    to: z.string(),
    message: z.string(),
    input: z.unknown(),
  }),
  z.object({ type: z.literal("text"), key: z.string(), to: ActorId, text: z.string() }),
  /** The agent's report arrives as the message `as`. */
  z.object({
    type: z.literal("agent"),
    key: z.string(),
    as: z.string(),
    request: Order,
  }),
]);
export type Outgoing = z.infer<typeof Outgoing>;

/** A change of one actor of a library user, as the journal keeps it. */
export const UserActorChange = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("started"), definition: z.string(), state: z.unknown() }),
    z.object({
      type: z.literal("message"),
      id: z.string(),
      message: z.string(),
      input: z.unknown(),
      /** The actor or agent that sent it, or null if the program did. */
      from: z.nullable(z.string()),
    }),
    /** One record for all three: the message is acknowledged, the state after it, and what it sends. */
    z.object({
      type: z.literal("handled"),
      id: z.string(),
      /** Absent: unchanged. */
      state: z.optional(z.unknown()),
      sent: z.array(Outgoing),
    }),
    /** A message that is not handled again. */
    z.object({ type: z.literal("refused"), id: z.string(), reason: z.string() }),
    /** An agent was started for the outgoing request of this key. */
    z.object({ type: z.literal("agent"), key: z.string(), agent: ActorId }),
    /** An outgoing request is over. */
    z.object({ type: z.literal("settled"), key: z.string() }),
    z.object({ type: z.literal("ended"), status: z.enum(["stopped", "failed"]), reason: z.string() }),
  ]),
);
export type UserActorChange = z.infer<typeof UserActorChange>;
