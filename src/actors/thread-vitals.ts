import type { MessagePort, Worker } from "node:worker_threads";
import type { Clock } from "../mailbox/clock.ts";
import type { Vitals } from "./hosts.ts";

/**
 * Looks at one thread from outside. A loop that rested since the last look has turned; that costs no message.
 * One that did not rest may spin, or be busy and turn all the same (both read 1.0): only then it is asked for a
 * pulse, which its loop answers, not the agent's code. No more than one question is ever on its way.
 */
export function threadVitals(
  worker: Pick<Worker, "performance">,
  pulse: MessagePort,
  clock: Pick<Clock, "now">,
): () => Vitals {
  let { idle, active } = worker.performance.eventLoopUtilization();
  const boardedAt = clock.now();
  let turnedAt = boardedAt;
  let utilization = 0;
  let asked = false;
  pulse.on("message", () => {
    asked = false;
    turnedAt = clock.now();
  });
  return () => {
    const now = clock.now();
    const loop = worker.performance.eventLoopUtilization();
    const [rested, worked] = [loop.idle - idle, loop.active - active];
    ({ idle, active } = loop);
    // Two looks at the same moment have nothing between them.
    if (rested + worked > 0) utilization = Math.min(1, Math.max(0, worked / (rested + worked)));
    if (rested > 0) turnedAt = now;
    else if (!asked) {
      asked = true;
      pulse.postMessage(null);
    }
    return { type: "thread", utilization, blockedMs: now - turnedAt, boardedMs: now - boardedAt };
  };
}
