import type { Clock } from "../mailbox/clock.ts";

/** Notices silence: what keeps a connection open (pings) is not heard (faults 15 and 16). */
export interface IdleWatch {
  heard(): void;
  /** Null until it fired; then how many milliseconds later than due it woke. */
  lateMs(): number | null;
  stop(): void;
}

/** Calls back once when nothing was heard for `ms`. One timer, not one per event. */
export function idleWatch(clock: Clock, ms: number, onIdle: () => void): IdleWatch {
  let last = clock.now();
  let late: number | null = null;
  const look = () => {
    const quiet = clock.now() - last;
    if (quiet < ms) {
      withdraw = clock.after(ms - quiet, look);
      return;
    }
    late = quiet - ms;
    onIdle();
  };
  let withdraw = clock.after(ms, look);
  return {
    heard() {
      last = clock.now();
    },
    lateMs: () => late,
    stop: () => withdraw(),
  };
}
