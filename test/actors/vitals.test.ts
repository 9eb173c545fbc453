import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Vitals } from "../../src/actors/hosts.ts";
import { threadVitals } from "../../src/actors/lease.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { poolOf, readCall, readIn, taken } from "./pool-threads.ts";

type Seen = Extract<Vitals, { type: "thread" }>;

/** Looks until what is seen is what is waited for; the test's own limit ends it where it never is. */
async function seen(look: () => Vitals, is: (vitals: Seen) => boolean): Promise<Seen> {
  for (;;) {
    await sleep(10);
    const vitals = look();
    if (vitals.type === "thread" && is(vitals)) return vitals;
  }
}

/** A thread that does as it is told, and a look at it. */
async function threadThat(told: string) {
  const thread = await taken(poolOf());
  await readIn(thread);
  const look = threadVitals(thread, systemClock);
  void thread.requests.call("call", readCall(`misbehave: ${told}`));
  return look;
}

test.each(["spin", "backtrack", "sleep", "microtasks"])(
  "a thread that cannot turn is seen to be blocked, without a word from it: %s (C2, fault 52)",
  async (how) => {
    const look = await threadThat(how);
    const vitals = await seen(look, ({ blockedMs, utilization }) => blockedMs > 300 && utilization > 0.9);
    expect(vitals.utilization).toBeLessThanOrEqual(1);
    // It does not get better by looking.
    const later = await seen(look, () => true);
    expect(later.blockedMs).toBeGreaterThanOrEqual(vitals.blockedMs);
  },
);

test("a thread that is busy all the time and turns is alive: it is asked for its pulse, and has one", async () => {
  const look = await threadThat("keep busy");
  await seen(look, ({ utilization }) => utilization > 0.9);
  // Between two looks it never rests; what it was blocked for grows, and falls again with each pulse.
  let before = 0;
  for (let falls = 0; falls < 3; ) {
    const { blockedMs, utilization } = await seen(look, () => true);
    if (blockedMs < before && utilization > 0.9) falls += 1;
    before = blockedMs;
  }
});

test("a thread in which nothing computes rests, and resting is no being blocked", async () => {
  const look = await threadThat("never settle");
  expect(await seen(look, ({ utilization }) => utilization < 0.1)).toMatchObject({ blockedMs: 0 });
});
