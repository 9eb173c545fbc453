import type { Clock } from "../mailbox/clock.ts";
import type { SupervisorHandle } from "../session/options.ts";
import type { AgentView, SupervisorEvent } from "../supervisor/view.ts";
import { type BackgroundLimit, limitBackground } from "./background-limit.ts";
import { shortTime } from "./figures.ts";
import { messageOf } from "./message-of.ts";
import { unfinishedAgents } from "./unfinished.ts";

type Watched = Pick<SupervisorHandle, "tree" | "detach">;

/** Leaves the session as it is, to be resumed, at a signal or when time for the background is over; knows who was at work. */
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
  const leave = (reason: string): void => {
    unfinished ??= unfinishedAgents(session?.tree() ?? []);
    session?.detach(reason);
  };
  const onAbort = (): void => leave(messageOf(signal.reason));
  signal.addEventListener("abort", onAbort, { once: true });
  const onOver = (ms: number): void => {
    if (signal.aborted || session === null) return;
    over = true;
    leave(`Its --background-timeout of ${shortTime(ms)} was over.`);
  };
  const limit: BackgroundLimit | null =
    backgroundMs === undefined ? null : limitBackground(backgroundMs, clock, () => onOver(backgroundMs));
  return {
    begin(watched) {
      session = watched;
    },
    onEvent: (event) => limit?.onEvent(event),
    unfinished: () => unfinished ?? [],
    isOver: () => over,
    release() {
      limit?.release();
      signal.removeEventListener("abort", onAbort);
    },
  };
}
