import fc from "fast-check";
import { expect, test } from "vitest";
import type { Vitals } from "../../../src/actors/hosts.ts";
import type { WatchedActor } from "../../../src/features/watch/judge.ts";
import { AwakeTime, startWatch, type WatchNews } from "../../../src/features/watch/watch.ts";
import { ActorId, CallId } from "../../../src/mailbox/ids.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { actor, call, limits } from "./actors.ts";

/** A watch over actors that a test can change; their threads stand still from the moment it says. */
function watching(session?: { startedAt: number; deadlineMs: number }) {
  const clock = new FakeClock();
  const actors = new Map<ActorId, WatchedActor>();
  const news: WatchNews[] = [];
  const watch = startWatch({
    clock,
    limits,
    ...(session ? { session } : {}),
    actors: () => actors.values(),
    onNews: (it) => news.push(it),
  });
  const put = (wrong: Partial<WatchedActor> & { readonly stillSince?: number | null }) => {
    const { stillSince = null, ...is } = wrong;
    const vitals = (): Vitals => ({
      type: "thread",
      utilization: 0,
      blockedMs: stillSince === null ? 0 : clock.now() - stillSince,
      boardedMs: clock.now(),
    });
    const who = actor({ vitals, ...is });
    actors.set(who.id, who);
    watch.wake();
  };
  const types = () =>
    news.map((it) => (it.type === "warn" || it.type === "end" ? [it.type, it.finding.type] : [it.type]));
  return { clock, actors, news, watch, put, types };
}

const id = ActorId.parse("agent1");

test("warns once of a stuck agent, and ends it once, with what it was stuck in (C2, D2, fault 52)", async () => {
  const { clock, news, put } = watching();
  put({ stillSince: 0, calls: [call()] });
  await clock.advance(9_000);
  expect(news).toEqual([]);
  await clock.advance(1_000);
  expect(news).toMatchObject([
    {
      type: "warn",
      actor: id,
      sentence: 'Explore "find usages" has been stuck for 10 s in Grep "foo"; it will be ended in 50 s.',
    },
  ]);
  await clock.advance(49_000);
  expect(news).toHaveLength(1);
  await clock.advance(120_000);
  expect(news.slice(1)).toMatchObject([
    {
      type: "end",
      actor: id,
      stop: { status: "timed_out", reason: 'It was stuck for 60 s in Grep "foo": its thread did not move.' },
    },
  ]);
});

test("reports that an agent has recovered, and warns again the next time", async () => {
  const { clock, put, types } = watching();
  put({ stillSince: 0 });
  await clock.advance(30_000);
  put({});
  await clock.advance(5_000);
  put({ stillSince: clock.now() });
  await clock.advance(11_000);
  expect(types()).toEqual([["warn", "blocked"], ["well"], ["warn", "blocked"]]);
});

test("warns of each finding and each overdue call separately", async () => {
  const { clock, put, types } = watching();
  const deadlineMs = 20_000;
  put({
    deadlineMs: 100_000,
    stillSince: 10_000,
    calls: [call({ deadlineMs }), call({ id: CallId.parse("agent1.1.1"), deadlineMs })],
  });
  await clock.advance(69_000);
  expect(types()).toEqual([
    ["warn", "blocked"],
    ["warn", "call-overdue"],
    ["warn", "call-overdue"],
  ]);
});

test("runs no timer without running agents; a start wakes it", async () => {
  const { clock, actors, put, types, watch } = watching();
  expect(clock.pending).toBe(0);
  put({});
  expect(clock.pending).toBe(1);
  watch.wake();
  expect(clock.pending).toBe(1);
  await clock.advance(5_000);
  expect(clock.pending).toBe(1);
  actors.clear();
  await clock.advance(1_000);
  expect(clock.pending).toBe(0);
  // An hour in which nobody looked is no sleep of the machine.
  await clock.advance(3_600_000);
  put({ deadlineMs: 100_000, startedAt: clock.now() });
  await clock.advance(10_000);
  expect(types()).toEqual([]);
  watch.stop();
  expect(clock.pending).toBe(0);
  watch.wake();
  expect(clock.pending).toBe(0);
});

test("does not count the time the machine slept, and reports it (fault 27)", async () => {
  const { clock, put, news } = watching({ startedAt: 0, deadlineMs: 3_600_000 });
  put({ stillSince: 0, silentSince: 0, deadlineMs: 600_000, calls: [call()] });
  await clock.advance(5_000);
  await clock.sleep(2 * 3_600_000);
  expect(news).toMatchObject([{ type: "paused", actor: null, ms: 2 * 3_600_000 - 1_000 }]);
  await clock.advance(3_000);
  expect(news).toHaveLength(1);
  // Awake, its time goes on: 10 s in all.
  await clock.advance(1_000);
  expect(news[1]).toMatchObject({ type: "warn", finding: { type: "blocked", forMs: 10_000 } });
});

test("reports a main thread that was blocked for 5 s, and blames no agent (fault 68)", async () => {
  const { clock, put, news } = watching();
  put({ stillSince: 0 });
  await clock.advance(4_000);
  await clock.sleep(7_000);
  expect(news).toMatchObject([
    {
      type: "paused",
      sentence:
        "Nothing of this session could move for 6 s: the machine slept, or was too busy. That time counts against no agent.",
    },
  ]);
});

test("reports the session's own deadline once, for all agents (D2)", async () => {
  const { clock, put, news, actors } = watching({ startedAt: 0, deadlineMs: 100_000 });
  for (const name of ["agent1", "agent2", "agent3"]) put({ id: ActorId.parse(name) });
  await clock.advance(200_000);
  expect(news).toMatchObject([
    { type: "warn", actor: null, finding: { type: "session-deadline" } },
    { type: "end", actor: null, stop: { status: "timed_out" } },
  ]);
  // Whatever begins after that has no time either.
  actors.clear();
  await clock.advance(1_000);
  put({});
  await clock.advance(1_000);
  expect(news.at(-1)).toMatchObject({ type: "end", actor: null });
});

test("starts a resumed agent with a clean record", async () => {
  const { clock, put, types } = watching();
  put({ stillSince: 0 });
  await clock.advance(61_000);
  put({ run: 2, stillSince: clock.now() });
  await clock.advance(61_000);
  expect(types()).toEqual([
    ["warn", "blocked"],
    ["end", "blocked"],
    ["warn", "blocked"],
    ["end", "blocked"],
  ]);
});

test("reports a listener that throws, and continues", () => {
  const looks: Array<() => void> = [];
  let now = 0;
  const after = (_ms: number, call: () => void) => {
    looks.push(call);
    return () => {};
  };
  const watch = startWatch({
    clock: { now: () => now, date: () => "", after },
    limits,
    actors: () => [actor({ deadlineMs: 1 })],
    onNews() {
      throw new Error("a bug of the listener's");
    },
  });
  watch.wake();
  now = 1_000;
  expect(looks[0]).toThrow("a bug of the listener's");
  expect(looks).toHaveLength(2);
});

test("awake time is what passed without the gaps, from any moment on", () => {
  const period = 1_000;
  const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 100_000 })), { maxLength: 30 });
  const property = fc.property(steps, fc.nat(200_000), (steps, from) => {
    const time = new AwakeTime(period, 0);
    let now = 0;
    let awake = 0;
    for (const [asleep, ms] of steps) {
      const gap = asleep ? 5_001 + ms : 1 + (ms % 5_000);
      const counted = asleep ? period : gap;
      awake += Math.max(0, counted - Math.max(0, from - now));
      now += gap;
      expect(time.look(now)).toBe(gap - counted);
    }
    expect(time.since(from)).toBe(from > now ? 0 : awake);
    expect(time.since(now + 1)).toBe(0);
  });
  fc.assert(property, { seed: 27, numRuns: 500 });
});

test("ends no agent without an earlier warning, nor twice in a run, in any sequence", async () => {
  const how = fc.constantFrom("well", "still", "sleep");
  const steps = fc.array(fc.tuple(how, fc.integer({ min: 100, max: 90_000 })), { maxLength: 12 });
  const property = fc.asyncProperty(steps, async (steps) => {
    const { clock, news, put } = watching();
    for (const [how, ms] of steps) {
      if (how !== "sleep") put({ stillSince: how === "still" ? clock.now() : null });
      await (how === "sleep" ? clock.sleep(ms) : clock.advance(ms));
    }
    const said = news.map(({ type }) => type).filter((type) => type !== "paused");
    expect(said.filter((type) => type === "end").length).toBeLessThanOrEqual(1);
    for (const [n, type] of said.entries()) if (type !== "warn") expect(said[n - 1]).toBe("warn");
  });
  await fc.assert(property, { seed: 52, numRuns: 100 });
});
