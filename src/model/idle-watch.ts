import type { Clock } from "../lib/clock.ts";

/** Detects silence: messages that only keep a connection open (pings) do not count (faults 15 and 16). */
export interface IdleWatch {
  received(): void;
  /** Null until it fired; then how many milliseconds later than due it woke. */
  lateMs(): number | null;
  stop(): void;
}

export interface IdleWatchOptions {
  /** Milliseconds of silence after which `onIdle` is called, once. */
  readonly idleMs: number;
  readonly onIdle: () => void;
  /**
   * Milliseconds of silence after which `onQuiet` is called, and again after as many more, with the remaining time.
   */
  readonly quietMs: number;
  readonly onQuiet: (leftMs: number) => void;
}

/** One timer for a whole stream, not one per event. */
export function idleWatch(clock: Clock, options: IdleWatchOptions): IdleWatch {
  const { idleMs, onIdle, quietMs, onQuiet } = options;
  let last = clock.now();
  let notices = 0;
  let late: number | null = null;
  const look = () => {
    const quiet = clock.now() - last;
    if (quiet >= idleMs) {
      late = quiet - idleMs;
      onIdle();
      return;
    }
    if (quiet >= (notices + 1) * quietMs) {
      notices = Math.floor(quiet / quietMs);
      onQuiet(idleMs - quiet);
    }
    sleep(quiet);
  };
  const sleep = (quiet: number) => {
    withdraw = clock.after(Math.min((notices + 1) * quietMs, idleMs) - quiet, look);
  };
  let withdraw = () => {};
  sleep(0);
  return {
    received() {
      last = clock.now();
      notices = 0;
    },
    lateMs: () => late,
    stop: () => withdraw(),
  };
}
