import type { Clock } from "../lib/clock.ts";
import type { Vitals } from "./hosts.ts";
import type { ToolThread } from "./tool-threads.ts";

/**
 * Watches one thread from outside. A loop that was idle since the last check has run, which needs no message. One
 * that was not may spin, or be busy and run all the same (both read 1.0): only then a pulse is requested, which its
 * loop answers, not the tool's code. At most one pulse is in flight.
 */
export function threadVitals(
  { worker, requests }: Pick<ToolThread, "worker" | "requests">,
  clock: Pick<Clock, "now">,
): () => Vitals {
  let { idle, active } = worker.performance.eventLoopUtilization();
  const boardedAt = clock.now();
  let turnedAt = boardedAt;
  let utilization = 0;
  let asked = false;
  return () => {
    const now = clock.now();
    const loop = worker.performance.eventLoopUtilization();
    const [rested, worked] = [loop.idle - idle, loop.active - active];
    ({ idle, active } = loop);
    // Two checks at the same moment have nothing between them.
    if (rested + worked > 0) utilization = Math.min(1, Math.max(0, worked / (rested + worked)));
    if (rested > 0) turnedAt = now;
    else if (!asked) {
      asked = true;
      void requests.call("pulse", null).then(({ ok }) => {
        asked = false;
        if (ok) turnedAt = clock.now();
      });
    }
    return { type: "thread", utilization, blockedMs: now - turnedAt, boardedMs: now - boardedAt };
  };
}
