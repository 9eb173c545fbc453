import type { Clock } from "../../mailbox/clock.ts";

/** How long one request may take: `quietMs` without a sign of life, `longestMs` in all. */
export interface PatienceTimes {
  readonly quietMs: number;
  readonly longestMs: number;
}

/** One request's time. */
export interface RequestTimeout {
  /** Aborted by the asker, or when time is up. */
  readonly signal: AbortSignal;
  /** Why time is up; null: it is not. */
  readonly spent: string | null;
  /** The server has said that it is at work. */
  alive(): void;
  /** While a person is asked, nobody can expect an answer of the server; the returned function ends that. */
  hold(): () => void;
  end(): void;
}

export function requestTimeout(
  clock: Clock,
  { quietMs, longestMs }: PatienceTimes,
  outer: AbortSignal,
): RequestTimeout {
  const over = new AbortController();
  const began = clock.now();
  let spent: string | null = null;
  let held = 0;
  let isOver = false;
  let withdraw = () => {};
  const stop = () => {
    withdraw();
    over.abort(outer.reason);
  };
  outer.addEventListener("abort", stop, { once: true });
  if (outer.aborted) stop();

  const wait = () => {
    withdraw();
    if (held > 0 || isOver || over.signal.aborted) return;
    const left = began + longestMs - clock.now();
    withdraw = clock.after(Math.max(0, Math.min(quietMs, left)), () => {
      spent = left <= quietMs ? `${seconds(longestMs)} in all` : `${seconds(quietMs)} without a sign of life`;
      over.abort(new Error("time is up"));
    });
  };
  wait();
  return {
    signal: over.signal,
    get spent() {
      return spent;
    },
    alive: wait,
    hold() {
      held += 1;
      withdraw();
      return () => {
        held -= 1;
        wait();
      };
    },
    end() {
      isOver = true;
      withdraw();
      outer.removeEventListener("abort", stop);
    },
  };
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`;
}
