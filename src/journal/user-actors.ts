import * as z from "zod/mini";
import { isObject } from "../lib/json.ts";
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

export type ActorMessage = Omit<Extract<UserActorChange, { type: "message" }>, "type">;

/** One actor of a library user as its records leave it. */
export interface UserActorAtRest {
  /** The name of its definition. */
  readonly definition: string;
  readonly state: unknown;
  /** Messages that were accepted and not handled, in order. */
  readonly pending: readonly ActorMessage[];
  /** What its handlers sent and has not arrived. `agent`: the one that was started for it. */
  readonly sent: readonly { readonly out: Outgoing; readonly agent?: ActorId }[];
  readonly ended: { readonly status: "stopped" | "failed"; readonly reason: string } | null;
}

export type UserActorStates = ReadonlyMap<string, UserActorAtRest>;

/** Returns the actors after one change. A message whose ID is the key of something that was sent is its arrival. */
export function afterActorChange(
  actors: UserActorStates,
  name: string,
  change: UserActorChange,
): UserActorStates {
  const next = new Map(actors);
  const update = (by: (actor: UserActorAtRest) => Partial<UserActorAtRest>) => {
    const actor = next.get(name);
    if (actor) next.set(name, { ...actor, ...by(actor) });
  };
  switch (change.type) {
    case "started": {
      const { definition, state } = change;
      next.set(name, { definition, state, pending: [], sent: [], ended: null });
      break;
    }
    case "message": {
      const { type: _, ...message } = change;
      for (const [other, actor] of next)
        if (actor.sent.some(({ out }) => out.key === message.id))
          next.set(other, { ...actor, sent: actor.sent.filter(({ out }) => out.key !== message.id) });
      update(({ pending }) => ({ pending: [...pending, message] }));
      break;
    }
    case "handled":
      update(({ pending, sent, state }) => ({
        pending: pending.filter(({ id }) => id !== change.id),
        sent: [...sent, ...change.sent.map((out) => ({ out }))],
        state: "state" in change ? change.state : state,
      }));
      break;
    case "refused":
      update(({ pending }) => ({ pending: pending.filter(({ id }) => id !== change.id) }));
      break;
    case "agent":
      update(({ sent }) => ({
        sent: sent.map((one) => (one.out.key === change.key ? { ...one, agent: change.agent } : one)),
      }));
      break;
    case "settled":
      update(({ sent }) => ({ sent: sent.filter(({ out }) => out.key !== change.key) }));
      break;
    case "ended":
      update(() => ({ pending: [], sent: [], ended: { status: change.status, reason: change.reason } }));
      break;
    default:
      change satisfies never;
  }
  return next;
}
