import { ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Spawn } from "../../supervisor/spawn.ts";
import type { MailEntry, MessageService } from "../../tools/messages.ts";
import { viewOf } from "../events/actor-view.ts";
import type { UserActors } from "../user-actors/index.ts";

/**
 * Messages between the actors of a session (C27): an address is a handle, and an accepted message is durable. Uses no
 * joint: the core sends messages.
 */
export function messageService(
  actors: Pick<Actors, "find" | "all">,
  spawn: Pick<Spawn, "send" | "resume">,
  userActors: Pick<UserActors, "names" | "tell">,
): MessageService {
  const addressed = (from: ActorId, to: string): Actor | undefined => {
    if (to === "parent") {
      const parent = actors.find(from)?.spec.parent;
      return parent ? actors.find(parent) : undefined;
    }
    const id = ActorId.safeParse(to);
    return id.success ? actors.find(id.data) : undefined;
  };

  return {
    agents: (asker) => actors.all().map((actor) => entryOf(actor, asker)),
    actors: () => userActors.names,
    async send(from, to, text) {
      const actor = addressed(from, to);
      if (!actor && userActors.names.includes(to)) {
        await userActors.tell(to, "text", text, from);
        return { type: "to-user-actor", name: to };
      }
      if (!actor) return { type: "unknown" };
      if (actor.id === from) return { type: "self" };
      const sender = actors.find(from);
      const name = sender ? `${sender.title} (agent ${from})` : `agent ${from}`;
      const message = from === MAIN ? text : `Message from ${name}, not from the user:\n${text}`;
      // Again if it ended while the journal was read: it must not get what it never reads.
      while (actor.id !== MAIN && actor.isStopped) {
        const runFor = { owner: from, call: null, background: true };
        if (await spawn.resume(actor, message, runFor, text)) return { type: "resumed", id: actor.id };
      }
      // Durable before its sender gets the result.
      await spawn.send(actor, message, from, text);
      return { type: "queued", id: actor.id };
    },
  };
}

function entryOf(actor: Actor, asker: ActorId): MailEntry {
  const { id, type, description, state, parent, turns, summary, doing, activity } = viewOf(actor);
  return {
    ...{ id, type, description, state, parent, turns },
    isYou: id === asker,
    now: doing ?? (activity.type === "tool" ? `${activity.tool} ${activity.title}` : activity.type),
    ended: summary === null ? null : summary.status,
  };
}
