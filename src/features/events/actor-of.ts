import type { SupervisorEvent } from "../../events/event.ts";
import type { ActorId } from "../../mailbox/ids.ts";

/** Returns the actor that an event is about; null if that is the session. */
export function actorOf(event: SupervisorEvent): ActorId | null {
  return event.type === "agent" ? event.view.id : "actor" in event ? event.actor : null;
}
