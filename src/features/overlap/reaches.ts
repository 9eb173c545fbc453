import type { ActorId } from "../../mailbox/ids.ts";

/** True if a path of one or more steps leads from one actor to another. */
export function reaches(from: ActorId, to: ActorId, next: (actor: ActorId) => Iterable<ActorId>): boolean {
  const seen = new Set<ActorId>();
  const open = [...next(from)];
  for (let actor = open.pop(); actor !== undefined; actor = open.pop()) {
    if (actor === to) return true;
    if (seen.has(actor)) continue;
    seen.add(actor);
    open.push(...next(actor));
  }
  return false;
}
