import type { Clock } from "../../lib/clock.ts";

export interface TimeoutTimes {
  readonly quietMs: number;
  readonly longestMs: number;
}

export type RequestTimeout = ReturnType<typeof startTimeout>;

/** Starts the time of one request. The SDK's own timeout cannot wait while the user answers a question. */
export function startTimeout(clock: Clock, { quietMs, longestMs }: TimeoutTimes, outer: AbortSignal) {
  const over = new AbortController();
  const { signal }: { readonly signal: AbortSignal } = over;
  const startedAt = clock.now();
  /** Why time is up. */
  let expired: string | null = null;
  let holds = 0;
  let withdraw = () => {};
  const schedule = () => {
    withdraw();
    if (holds > 0 || signal.aborted) return;
    const left = startedAt + longestMs - clock.now();
    withdraw = clock.after(Math.max(0, Math.min(quietMs, left)), () => {
      expired =
        left <= quietMs ? `${formatTime(longestMs)} in all` : `${formatTime(quietMs)} without progress`;
      over.abort(new Error("time is up"));
    });
  };
  const stop = () => {
    withdraw();
    over.abort(outer.reason);
  };
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();
  schedule();
  return {
    /** Aborted by the caller, or when time is up. */
    signal,
    get expired() {
      return expired;
    },
    progress: schedule,
    /** Stops the time while the user is asked, until the returned function is called. */
    hold() {
      holds += 1;
      withdraw();
      return () => {
        holds -= 1;
        schedule();
      };
    },
    end() {
      outer.removeEventListener("abort", stop);
      holds = Number.POSITIVE_INFINITY;
      withdraw();
    },
  };
}

function formatTime(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
