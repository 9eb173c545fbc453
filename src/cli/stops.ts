import type { Clock } from "../mailbox/clock.ts";
import type { SupervisorHandle } from "../supervisor/options.ts";
import type { AgentView, SupervisorEvent } from "../supervisor/view.ts";
import { type BackgroundLimit, limitBackground } from "./background-limit.ts";
import { shortTime } from "./figures.ts";
import { unfinishedAgents } from "./unfinished.ts";

type Watched = Pick<SupervisorHandle, "tree" | "cancel">;

/** What of a session was stopped before its end, and by what. */
export interface Stops {
  begin(session: Watched): void;
  onEvent(event: SupervisorEvent): void;
  /** Agents that were at work when the stop came, as they were then. */
  unfinished(): readonly AgentView[];
  /** Time for the background was over. */
  isOver(): boolean;
  release(): void;
}

export interface StopsOptions {
  readonly clock: Clock;
  /** Aborted by a signal, before anything is cancelled for it. */
  readonly signal: AbortSignal;
  /** Milliseconds that the main conversation waits, in all, for nothing but what runs in the background. */
  readonly backgroundMs: number | undefined;
}

export function watchStops({ clock, signal, backgroundMs }: StopsOptions): Stops {
  let session: Watched | null = null;
  let unfinished: readonly AgentView[] | null = null;
  let over = false;
  const take = (): void => {
    unfinished ??= unfinishedAgents(session?.tree() ?? []);
  };
  signal.addEventListener("abort", take, { once: true });
  const stopAll = (ms: number): void => {
    if (signal.aborted || session === null) return;
    over = true;
    take();
    const reason = `Its --background-timeout of ${shortTime(ms)} was over.`;
    for (const { id, state } of session.tree()) if (state !== "ended") session.cancel(id, reason);
  };
  const limit: BackgroundLimit | null =
    backgroundMs === undefined ? null : limitBackground(backgroundMs, clock, () => stopAll(backgroundMs));
  return {
    begin(watched) {
      session = watched;
    },
    onEvent: (event) => limit?.onEvent(event),
    unfinished: () => unfinished ?? [],
    isOver: () => over,
    release() {
      limit?.release();
      signal.removeEventListener("abort", take);
    },
  };
}
