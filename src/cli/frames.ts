import type { Clock } from "../mailbox/clock.ts";

/** Milliseconds between two frames while something happens, and while only time passes. */
const BUSY_MS = 100;
const IDLE_MS = 1000;

/** When to paint. */
export interface Frames {
  now(): void;
  /** Not too often, however much happens. */
  soon(): void;
  stop(): void;
}

/** While `ticking`, it paints a frame each second, for what shows time. */
export function createFrames(clock: Clock, paint: () => void, ticking: () => boolean): Frames {
  let stopped = false;
  let paintedAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let withdraw = () => {};
  const plan = (at: number): void => {
    if (stopped || at >= dueAt) return;
    withdraw();
    dueAt = at;
    withdraw = clock.after(Math.max(0, at - clock.now()), show);
  };
  const show = (): void => {
    if (stopped) return;
    withdraw();
    dueAt = Number.POSITIVE_INFINITY;
    paintedAt = clock.now();
    paint();
    if (ticking()) plan(paintedAt + IDLE_MS);
  };
  return {
    now: show,
    soon: () => plan(Math.max(clock.now(), paintedAt + BUSY_MS)),
    stop() {
      stopped = true;
      withdraw();
    },
  };
}
