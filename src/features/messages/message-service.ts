import { ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Session } from "../../session/session.ts";
import type { ActorRecord } from "../../supervisor/actor-record.ts";
import type { ActorSystem } from "../../supervisor/actor-system.ts";
import { viewOf } from "../../supervisor/actor-view.ts";
import { hasEnded } from "../../supervisor/resume-ended.ts";
import type { Spawning } from "../../supervisor/spawning.ts";
import type { MailEntry, MessageService } from "../../tools/messages/service.ts";

/** Mail between the actors of a session (C27): an address is a handle, and what was accepted is durable. */
export function messageService(session: Session, lives: ActorSystem, spawning: Spawning): MessageService {
  const addressed = (from: ActorId, to: string): ActorRecord | undefined => {
    if (to === "parent") {
      const parent = lives.find(from)?.spec.parent;
      return parent ? lives.find(parent) : undefined;
    }
    const id = ActorId.safeParse(to);
    return id.success ? lives.find(id.data) : undefined;
  };

  return {
    agents: (asker) => lives.all.map((actor) => entryOf(actor, asker)),
    async send(from, to, text) {
      const actor = addressed(from, to);
      if (!actor) return { type: "unknown" };
      if (actor.id === from) return { type: "self" };
      const sender = lives.find(from);
      const name = sender
        ? `${sender.spec.description || sender.spec.type} (agent ${from})`
        : `agent ${from}`;
      const words = from === MAIN ? text : `Message from ${name}, not from the person:\n${text}`;
      // Again where it has ended once more while the journal was read: it must not be told what it never hears.
      while (actor.id !== MAIN && hasEnded(actor)) {
        const errand = { owner: from, call: null, background: true };
        if (await spawning.resume(actor, words, errand, text)) return { type: "resumed", id: actor.id };
      }
      const id = `words:${session.ids.actor()}`;
      const durable = session.journal.append({
        type: "prompt",
        actor: actor.id,
        message: { role: "user", content: words },
        id,
        from,
      });
      // At once, or it might end before: the journal has the words before any turn that heard them.
      actor.owed.pushMessage(words, { id, from, text });
      lives.delivery.wakeFor(actor);
      // Durable before the sender is told so.
      await durable;
      return { type: "queued", id: actor.id };
    },
  };
}

function entryOf(actor: ActorRecord, asker: ActorId): MailEntry {
  const { id, type, description, state, parent, turns, summary, doing, activity } = viewOf(actor);
  return {
    ...{ id, type, description, state, parent, turns },
    isYou: id === asker,
    now: doing ?? (activity.type === "tool" ? `${activity.tool} ${activity.title}` : activity.type),
    ended: summary === null ? null : summary.status,
  };
}
