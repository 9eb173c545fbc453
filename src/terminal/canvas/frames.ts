import type { Clock } from "../../lib/clock.ts";

/** Milliseconds between two frames while text is written, and between two in which only the agents change. */
export const TEXT_MS = 80;
export const TREE_MS = 200;
/** Milliseconds between two frames while only time passes. */
export const CLOCK_MS = 1000;
/** Milliseconds without a resize before anything is painted: what was written before is drawn for the old size by then. */
const STILL_MS = 100;

/**
 * Says when to paint. `paint` returns the milliseconds until it wants the next frame, even if nothing happens; null if
 * it wants none.
 */
export function createFrames(clock: Clock, everyMs: number, paint: () => number | null) {
  let stopped = false;
  let paintedAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let stillAt = Number.NEGATIVE_INFINITY;
  let withdraw = () => {};
  const plan = (wanted: number): void => {
    const now = clock.now();
    const at = Math.max(wanted, stillAt, now);
    if (stopped || at >= dueAt) return;
    withdraw();
    dueAt = at;
    withdraw = clock.after(at - now, show);
  };
  const show = (): void => {
    if (stopped) return;
    withdraw();
    dueAt = Number.POSITIVE_INFINITY;
    if (clock.now() < stillAt) {
      plan(stillAt);
      return;
    }
    paintedAt = clock.now();
    const next = paint();
    if (next !== null) plan(paintedAt + next);
  };
  return {
    /** Paints immediately: a key was pressed. */
    now: show,
    /** Paints when the last frame is old enough. */
    soon: () => plan(paintedAt + everyMs),
    /** Paints nothing until the size has not changed for a moment. */
    resized() {
      stillAt = clock.now() + STILL_MS;
      withdraw();
      dueAt = Number.POSITIVE_INFINITY;
      plan(stillAt);
    },
    stop() {
      stopped = true;
      withdraw();
    },
  };
}
