import type { Vitals } from "../../../src/actors/hosts.ts";
import type { WatchedActor, WatchedCall, WatchLimits } from "../../../src/features/watch/judge.ts";
import { ActorId, CallId } from "../../../src/mailbox/ids.ts";

export const limits: WatchLimits = { stuckWarnMs: 10_000, stuckMs: 60_000, silentMs: 210_000 };

export const blockedFor = (blockedMs: number): Vitals => ({
  type: "thread",
  utilization: blockedMs > 0 ? 1 : 0.1,
  blockedMs,
  boardedMs: 1e9,
});

/** An agent that runs and has nothing wrong with it, but for what a test says. */
export function actor(wrong: Partial<WatchedActor> = {}): WatchedActor {
  return {
    id: ActorId.parse("agent1"),
    run: 1,
    type: "Explore",
    description: "find usages",
    state: "running",
    startedAt: 0,
    deadlineMs: null,
    calls: [],
    silentSince: null,
    vitals: () => blockedFor(0),
    ...wrong,
  };
}

export function call(is: Partial<WatchedCall> = {}): WatchedCall {
  return {
    id: CallId.parse("agent1.1.0"),
    tool: "Grep",
    title: "foo",
    startedAt: 0,
    local: true,
    deadlineMs: 600_000,
    ...is,
  };
}
