import type { Clock } from "../../lib/clock.ts";

/** A second Ctrl-C within these milliseconds leaves. */
const TWICE_MS = 2_000;

/** Distinguishes a second Ctrl-C from a first one. */
export function createDoublePress(clock: Clock): () => "once" | "twice" {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.now();
    const isSecond = now - last <= TWICE_MS;
    last = now;
    return isSecond ? "twice" : "once";
  };
}
