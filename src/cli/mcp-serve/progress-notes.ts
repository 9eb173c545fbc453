import type { AgentView } from "../../events/event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { counted } from "../../terminal/figures.ts";
import { agentName, doing } from "../agent-text.ts";
import { descendantsOf } from "./agent-results.ts";

/** The shortest and the longest time between two notes: clients give up on a silent call. */
const PACE_MS = 500;
const SILENCE_MS = 10_000;
const MOST_NAMED = 3;

export interface ProgressParts {
  readonly clock: Clock;
  views(): readonly AgentView[];
  /** The agents of the call; more may be added. */
  readonly ids: ReadonlySet<ActorId>;
  /** Calls back when an agent changes; the returned function removes the listener. */
  onChange(listener: () => void): () => void;
  /** `count` grows with each note, as the protocol requires. */
  tell(count: number, text: string): void;
}

/** Reports the progress of one call's agents, until the returned function is called. */
export function tellProgress(parts: ProgressParts): () => void {
  const { clock, ids } = parts;
  let count = 0;
  let isPaced = false;
  let hasChanged = false;
  let withdraw = (): void => {};
  const tell = (): void => {
    const text = callProgressText(parts.views(), ids, clock.now());
    hasChanged = false;
    // Without an agent the next change is reported immediately, however soon it is.
    isPaced = text !== null;
    withdraw();
    withdraw = text === null ? clock.after(SILENCE_MS, tell) : clock.after(PACE_MS, endPace);
    if (text !== null) parts.tell(++count, text);
  };
  const endPace = (): void => {
    isPaced = hasChanged;
    if (hasChanged) tell();
    else withdraw = clock.after(SILENCE_MS - PACE_MS, tell);
  };
  const stopListening = parts.onChange(() => {
    if (isPaced) hasChanged = true;
    else tell();
  });
  return () => {
    stopListening();
    withdraw();
  };
}

/** Returns "1 of 5 agents ended; Explore · find it: Grep wire; …", or null if there is no agent yet. */
export function callProgressText(
  views: readonly AgentView[],
  ids: ReadonlySet<ActorId>,
  now: number,
): string | null {
  const family = descendantsOf(views, ids);
  const own = family.filter(({ id }) => ids.has(id));
  if (own.length === 0) return null;
  const ended = own.filter(({ state }) => state === "ended").length;
  const working = family.filter(({ state }) => state === "running" || state === "waiting");
  const named = working
    .slice(0, MOST_NAMED)
    .map((view) => [agentName(view), doing(view, now)].filter(Boolean).join(": "));
  const more = working.length - named.length;
  const queued = own.filter(({ state }) => state === "queued").length;
  return [
    ...(own.length === 1 && working.length > 0 ? [] : [`${ended} of ${counted(own.length, "agent")} ended`]),
    ...named,
    ...(more > 0 ? [`${more} more at work`] : []),
    ...(queued > 0 ? [`${queued} queued`] : []),
  ].join("; ");
}
