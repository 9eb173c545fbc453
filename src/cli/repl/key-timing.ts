import { type Clock, pause } from "../../lib/clock.ts";

/**
 * Milliseconds without a key after a question was drawn before keys count as its answer. A user who is typing something
 * else has not read it.
 */
const QUIET_MS = 250;

/** Detects that the user has stopped typing. */
export function createQuietKeys(clock: Clock) {
  let last = Number.NEGATIVE_INFINITY;
  return {
    /** Reports a key. */
    typed(): void {
      last = clock.now();
    },
    /** Resolves after a moment without keys, counted from now; or immediately on abort. */
    async quiet(signal: AbortSignal) {
      const from = clock.now();
      for (let left = QUIET_MS; left > 0 && !signal.aborted; ) {
        await pause(clock, left, signal);
        left = Math.max(from, last) + QUIET_MS - clock.now();
      }
    },
  };
}

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
