import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ActorHandle, Vitals } from "../../src/actors/hosts.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { begin, threads } from "./bare-actors.ts";

type Seen = Extract<Vitals, { type: "thread" }>;

/** Looks until what is seen is what is waited for; the test's own limit ends it where it never is. */
async function seen(actor: Pick<ActorHandle, "vitals">, is: (vitals: Seen) => boolean): Promise<Seen> {
  for (;;) {
    await sleep(10);
    const vitals = actor.vitals();
    if (vitals.type === "thread" && is(vitals)) return vitals;
  }
}

test.each(["spin", "backtrack", "sleep", "microtasks", "spin late"])(
  "a thread that cannot turn is seen to be blocked, without a word from it: %s (C2, fault 52)",
  async (how) => {
    const actor = begin(threads(1), "blocked", `misbehave: ${how}`);
    const vitals = await seen(actor, ({ blockedMs, utilization }) => blockedMs > 300 && utilization > 0.9);
    expect(vitals.utilization).toBeLessThanOrEqual(1);
    // It does not get better by looking.
    const later = await seen(actor, () => true);
    expect(later.blockedMs).toBeGreaterThanOrEqual(vitals.blockedMs);
    actor.terminate();
    expect(await actor.exited).toEqual({ type: "terminated" });
    expect(actor.vitals()).toEqual({ type: "unknown" });
  },
);

test("a thread that is busy all the time and turns is alive: it is asked for its pulse, and has one", async () => {
  const actor = begin(threads(1), "busy", "misbehave: keep busy");
  await actor.asked;
  await seen(actor, ({ utilization }) => utilization > 0.9);
  // Between two looks it never rests; what it was blocked for grows, and falls again with each pulse.
  let before = 0;
  for (let falls = 0; falls < 3; ) {
    const { blockedMs, utilization } = await seen(actor, () => true);
    if (blockedMs < before && utilization > 0.9) falls += 1;
    before = blockedMs;
  }
  actor.terminate();
});

test("a thread that waits for its model rests, and resting is no being blocked", async () => {
  const actor = begin(threads(1), "resting");
  const { reply } = await actor.asked;
  expect(await seen(actor, ({ utilization }) => utilization < 0.1)).toMatchObject({ blockedMs: 0 });
  reply();
  expect(await actor.exited).toEqual({ type: "returned" });
  expect(actor.vitals()).toEqual({ type: "unknown" });
});

test("an actor that waits for a thread has no vitals; in a reused thread it has its own, not those of the last one", async () => {
  const host = threads(1);
  const first = begin(host, "first", "misbehave: keep busy");
  const second = begin(host, "second");
  expect(second.vitals()).toEqual({ type: "unknown" });
  (await first.asked).reply();
  await first.exited;
  await second.asked;
  expect(second.vitals()).toMatchObject({ type: "thread" });
  expect(first.vitals()).toEqual({ type: "unknown" });
});

test("each actor is seen in its own thread: one that spins does not look like its siblings", async () => {
  const host = threads(4);
  const names = ["one1", "two2", "three", "four"];
  const actors = names.map((name, n) => begin(host, name, n === 2 ? "misbehave: spin" : "answer"));
  const [one, two, stuck, four] = actors;
  if (!one || !two || !stuck || !four) throw new Error("There are four.");
  await seen(stuck, ({ blockedMs }) => blockedMs > 300);
  for (const sibling of [one, two, four]) {
    const { reply } = await sibling.asked;
    const { blockedMs } = await seen(sibling, ({ utilization }) => utilization < 0.5);
    expect(blockedMs).toBe(0);
    reply();
    expect(await sibling.exited).toEqual({ type: "returned" });
  }
  stuck.terminate();
});

test("on the caller's own thread nothing can be seen from outside, unless a test says how it is", async () => {
  const blind = inThreadHost(seededScheduler(() => 0));
  expect(begin(blind, "blind").vitals()).toEqual({ type: "unknown" });
  expect(blind.load()).toEqual({ threads: 1, waiting: 0 });
  await blind.close();
  const stuck: Vitals = { type: "thread", utilization: 1, blockedMs: 12_000, boardedMs: 15_000 };
  const told = inThreadHost(
    seededScheduler(() => 0),
    (actor) => (actor === ActorId.parse("stuck") ? stuck : { type: "unknown" }),
  );
  expect(begin(told, "stuck").vitals()).toEqual(stuck);
  await told.close();
});
