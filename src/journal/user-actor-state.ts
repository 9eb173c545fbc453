import type { ActorId } from "../mailbox/ids.ts";
import type { Outgoing, UserActorChange } from "./user-actors.ts";

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
