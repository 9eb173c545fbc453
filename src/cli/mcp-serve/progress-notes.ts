import type { Clock } from "../../mailbox/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { AgentView } from "../../supervisor/view.ts";
import { agentName, doing } from "../agent-text.ts";
import { counted } from "../figures.ts";
import { descendantsOf } from "./descendants.ts";

/** Between two notes there is at least one and at most the other: clients give up on what is silent. */
const PACE_MS = 500;
const SILENCE_MS = 10_000;
const MOST_NAMED = 3;

export interface ProgressParts {
  readonly clock: Clock;
  views(): readonly AgentView[];
  /** The agents of the call; more may come. */
  readonly ids: ReadonlySet<ActorId>;
  /** Calls back whenever something about an agent has changed; the answer withdraws it. */
  onChange(listener: () => void): () => void;
  /** `count` grows with each note, as the protocol wants it. */
  tell(count: number, words: string): void;
}

/** Tells how far the agents of one call are, until the answer is called. */
export function tellProgress(parts: ProgressParts): () => void {
  const { clock, ids } = parts;
  let count = 0;
  let paced = false;
  let changed = false;
  let withdraw = (): void => {};
  const tell = (): void => {
    const words = progressWords(parts.views(), ids, clock.now());
    changed = false;
    withdraw();
    if (words === null) {
      // Whoever begins now is told of at the next change, however soon that is.
      paced = false;
      withdraw = clock.after(SILENCE_MS, tell);
      return;
    }
    count += 1;
    parts.tell(count, words);
    paced = true;
    withdraw = clock.after(PACE_MS, rest);
  };
  const rest = (): void => {
    paced = changed;
    if (changed) tell();
    else withdraw = clock.after(SILENCE_MS - PACE_MS, tell);
  };
  const stopListening = parts.onChange(() => {
    if (paced) changed = true;
    else tell();
  });
  return () => {
    stopListening();
    withdraw();
  };
}

/** "1 of 5 agents ended; Explore · find it: Grep wire; …"; null where there is none yet. */
export function progressWords(
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
  const words = [
    ...(own.length === 1 && working.length > 0 ? [] : [`${ended} of ${counted(own.length, "agent")} ended`]),
    ...named,
    ...(more > 0 ? [`${more} more at work`] : []),
    ...(queued > 0 ? [`${queued} in line`] : []),
  ];
  return words.join("; ");
}
