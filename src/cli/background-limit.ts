import type { Clock } from "../mailbox/clock.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { AgentView, SupervisorEvent } from "../supervisor/view.ts";

/** Bounds the time for which a run waits for nothing but background work. */
export interface BackgroundLimit {
  onEvent(event: SupervisorEvent): void;
  /** Stops nothing any longer. */
  release(): void;
}

/** Calls `onOver` when the main conversation has waited for its background work for `ms` milliseconds in all. */
export function limitBackground(ms: number, clock: Clock, onOver: () => void): BackgroundLimit {
  // In a resumed session the main conversation may have ended before.
  let waits = true;
  let left = ms;
  let since: number | null = null;
  let cancel = (): void => {};
  const stop = (): void => {
    cancel();
    if (since !== null) left -= clock.now() - since;
    since = null;
  };
  return {
    onEvent(event) {
      if (event.type !== "agent") return;
      if (event.view.id === MAIN) waits = isDoneButForBackground(event.view);
      if (!waits) return stop();
      if (since !== null) return;
      since = clock.now();
      cancel = clock.after(Math.max(0, left), onOver);
    },
    release: stop,
  };
}

/** How the activity of an actor starts that has answered and is kept for its background work. */
const KEPT = "in the background: ";

function isDoneButForBackground({ state, activity }: AgentView): boolean {
  return state === "ended" || (activity.type === "tool" && activity.title.startsWith(KEPT));
}
