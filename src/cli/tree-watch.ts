import type { ActorId } from "../mailbox/ids.ts";
import type { SupervisorEvent } from "../supervisor/view.ts";

/** Knows when no agent is left that works for the session. */
export interface TreeWatch {
  onEvent(event: SupervisorEvent): void;
  /** Resolves once every agent that was heard of has ended; at once where none is open. */
  empty(): Promise<void>;
}

export function watchTree(): TreeWatch {
  const open = new Set<ActorId>();
  const waiting = new Set<() => void>();
  return {
    onEvent(event) {
      if (event.type !== "agent") return;
      if (event.view.state === "ended") open.delete(event.view.id);
      else open.add(event.view.id);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    empty: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
  };
}
