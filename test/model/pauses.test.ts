import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/lib/clock.ts";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { ModelPause } from "../../src/mailbox/model.ts";
import type { ModelClient, ModelEvent, ModelFailure, ModelOutcome } from "../../src/model/client.ts";
import { type GovernorOptions, governed } from "../../src/model/governor.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { requestOf } from "./asking.ts";

const HOUR = 3_600_000;

/** A clock whose wall time can be set apart from its timers, as by sleep or by an administrator. */
class TwoClocks extends FakeClock {
  offset = 0;
  override date(): string {
    return new Date(Date.parse(super.date()) + this.offset).toISOString();
  }
}

const wall = (clock: Clock) => Date.parse(clock.date());

/** A server that answers after 100 ms, by a rule that knows when and for which model it is asked. */
function server(clock: Clock, rule: (model: string, sent: number) => ModelFailure | null) {
  const sent: { readonly at: number; readonly model: string }[] = [];
  const client: ModelClient = {
    name: "server",
    async ask({ model }, _on, signal, onAnswer) {
      sent.push({ at: clock.now(), model });
      const failure = rule(model, sent.length);
      if (failure === null) onAnswer?.(true);
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      clock.after(failure ? 0 : 100, resolve);
      await promise;
      if (failure) return { type: "failure", failure };
      const usage = {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      };
      return { type: "reply", reply: { content: [], stopReason: "end_turn", usage, model, apiMs: 100 } };
    },
  };
  return { client, sent };
}

function limited(ms: number): ModelFailure {
  return { kind: "rate_limit", message: "The limit is reached.", retryAfterMs: ms };
}
const UNREACHABLE: ModelFailure = { kind: "connection", message: "The server cannot be reached." };
const BUSY: ModelFailure = { kind: "overloaded", message: "Busy." };

type Rule = Parameters<typeof server>[1];

function governor(clock: FakeClock, rule: Rule, options: Partial<GovernorOptions> = {}) {
  const { client, sent } = server(clock, rule);
  const ask = governed(client, { clock, random: () => 0.5, limitPatienceMs: 400 * 24 * HOUR, ...options });
  const put = (n: number, model = "a", signal = new AbortController().signal) => {
    const asked = {
      outcome: undefined as ModelOutcome | undefined,
      pauses: [] as ModelPause[],
      events: [] as ModelEvent[],
    };
    const on = (event: ModelEvent) => {
      asked.events.push(event);
      if (event.type === "paused") asked.pauses.push(event.pause);
    };
    void ask(requestOf({ actor: ActorId.parse(`agent${n}`), model }), false, on, signal).then((outcome) => {
      asked.outcome = outcome;
    });
    return asked;
  };
  return { put, sent };
}

type Put = ReturnType<ReturnType<typeof governor>["put"]>;
const kinds = (all: readonly Put[]) => new Set(all.map(({ outcome }) => outcome?.type));

describe("a model whose server names a time", () => {
  test("is paused for all: a limit at request 7 of 32, 90 s, and no request in the pause", async () => {
    const clock = new FakeClock();
    const { put, sent } = governor(
      clock,
      (_, n) => (n >= 7 && clock.now() < 90_000 ? limited(90_000 - clock.now()) : null),
      {
        concurrency: 4,
      },
    );
    const all = Array.from({ length: 32 }, (_, n) => put(n));
    await clock.advance(1_000);
    const before = sent.length;
    await clock.advance(88_000);
    expect(sent.length - before).toBe(0);
    expect(all.filter(({ outcome }) => outcome === undefined)).not.toHaveLength(0);
    for (const { outcome, pauses } of all) {
      if (outcome !== undefined) continue;
      expect(pauses.at(-1)).toMatchObject({ model: "a", reason: "The limit is reached." });
      expect(Math.abs((pauses.at(-1)?.until ?? 0) - wall(clock) - 1_000)).toBeLessThan(50);
    }
    await clock.advance(60_000);
    expect(kinds(all)).toEqual(new Set(["reply"]));
    expect(clock.pending).toBe(0);
  });

  test("lets the others go on", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, (model) => (model === "a" && clock.now() < HOUR ? limited(HOUR) : null));
    const [slow, quick] = [put(1, "a"), put(2, "b")];
    await clock.advance(1_000);
    expect(quick.outcome).toMatchObject({ type: "reply" });
    expect(slow.outcome).toBeUndefined();
    await clock.advance(HOUR);
    expect(slow.outcome).toMatchObject({ type: "reply" });
    expect(slow.events.filter(({ type }) => type === "unpaused")).toHaveLength(1);
  });

  test("has one request that finds out whether it is over; the others wait for its answer", async () => {
    const clock = new FakeClock();
    let over = false;
    const { put, sent } = governor(clock, () => (over ? null : limited(HOUR)));
    const all = [1, 2, 3, 4].map((n) => put(n));
    await clock.advance(1_000);
    const before = sent.length;
    await clock.advance(HOUR);
    await clock.advance(HOUR);
    expect(sent.length - before).toBe(2);
    over = true;
    await clock.advance(HOUR + 60_000);
    expect(kinds(all)).toEqual(new Set(["reply"]));
  });

  test.each([
    ["a year", 365 * 24 * HOUR],
    ["a month", 30 * 24 * HOUR],
  ])("%s ahead is paused as long as that, and can be cancelled at any time", async (_, ms) => {
    const clock = new FakeClock();
    const { put } = governor(clock, () => limited(ms));
    const abort = new AbortController();
    const asked = put(1, "a", abort.signal);
    await clock.advance(10 * HOUR);
    expect(asked.pauses.at(-1)?.until).toBe(wall(clock) - 10 * HOUR + ms);
    abort.abort();
    await settled();
    expect(asked.outcome).toMatchObject({ failure: { kind: "cancelled" } });
    expect(clock.pending).toBe(0);
  });

  test("in the past is no pause", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, (_, n) => (n === 1 ? limited(0) : null));
    const asked = put(1);
    await clock.advance(2_000);
    expect(asked.outcome).toMatchObject({ type: "reply" });
    expect(asked.pauses).toEqual([]);
  });

  test("longer than anyone waits for is a failure that names it", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, () => limited(2 * HOUR), { limitPatienceMs: HOUR });
    const asked = put(1);
    await clock.advance(0);
    expect(asked.outcome).toMatchObject({
      failure: { kind: "rate_limit", message: expect.stringContaining("asks to wait 7200 s") },
    });
  });

  test("a usage limit with a time is a pause, one without is an immediate failure", async () => {
    const clock = new FakeClock();
    const spent = { kind: "spend_limit", message: "Spent." } as const;
    const timed = governor(clock, () => (clock.now() < HOUR ? { ...spent, retryAfterMs: HOUR } : null)).put(
      1,
    );
    const ended = governor(clock, () => spent).put(1);
    await clock.advance(0);
    expect(ended.outcome).toMatchObject({ failure: { kind: "spend_limit" } });
    await clock.advance(HOUR + 1_000);
    expect(timed.outcome).toMatchObject({ type: "reply" });
  });
});

describe("two clocks", () => {
  test.each([
    ["the machine slept through it: its timers stood still", HOUR],
    ["the clock was set forward: it asks early, once, and is told again", 50 * 60_000],
  ])("%s", async (_, jump) => {
    const clock = new TwoClocks();
    const resetAt = wall(clock) + HOUR;
    const { put, sent } = governor(clock, () =>
      wall(clock) < resetAt ? limited(resetAt - wall(clock)) : null,
    );
    const asked = put(1);
    await clock.advance(60_000);
    clock.offset += jump;
    await clock.advance(Math.max(31_000, resetAt - wall(clock) + 31_000));
    expect(asked.outcome).toMatchObject({ type: "reply" });
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  test("the clock was set back: the pause is not longer than it was named", async () => {
    const clock = new TwoClocks();
    const { put } = governor(clock, () => (clock.now() < HOUR ? limited(HOUR - clock.now()) : null));
    const asked = put(1);
    await clock.advance(60_000);
    clock.offset -= 24 * HOUR;
    await clock.advance(HOUR);
    expect(asked.outcome).toMatchObject({ type: "reply" });
  });
});

describe("a model that was paused when the session was left", () => {
  const pauseOf = (clock: Clock, ms: number): ModelPause => ({
    ...{ model: "a", until: wall(clock) + ms, since: wall(clock) - HOUR, reason: "The limit is reached." },
  });

  test("is asked once, and no more until its time", async () => {
    const clock = new FakeClock();
    const { put, sent } = governor(clock, () => (clock.now() < HOUR ? limited(HOUR - clock.now()) : null), {
      pauses: [pauseOf(clock, HOUR)],
    });
    const all = Array.from({ length: 32 }, (_, n) => put(n));
    await clock.advance(HOUR - 1);
    expect(sent).toHaveLength(1);
    for (const { pauses } of all.slice(1)) expect(pauses.length).toBeGreaterThan(0);
    await clock.advance(60_000);
    expect(kinds(all)).toEqual(new Set(["reply"]));
  });

  test("goes on immediately if the limit was raised", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, () => null, { pauses: [pauseOf(clock, HOUR)] });
    const all = Array.from({ length: 32 }, (_, n) => put(n));
    await clock.advance(1_000);
    expect(kinds(all)).toEqual(new Set(["reply"]));
  });
});

describe("a server that names no time", () => {
  test.each([
    ["cannot be reached any more", UNREACHABLE],
    ["is overloaded for long", BUSY],
  ])(
    "and %s pauses its model after a minute of tries; one request tries again, more and more rarely",
    async (_, failure) => {
      const clock = new FakeClock();
      const lost = { from: 1_000, to: 30 * 60_000 };
      const { put, sent } = governor(clock, () =>
        clock.now() >= lost.from && clock.now() < lost.to ? failure : null,
      );
      const first = put(0);
      await clock.advance(lost.from);
      expect(first.outcome).toMatchObject({ type: "reply" });
      const all = Array.from({ length: 8 }, (_, n) => put(n + 1));
      await clock.advance(3 * 60_000);
      const before = sent.length;
      await clock.advance(20 * 60_000);
      expect(sent.length - before).toBeLessThanOrEqual(6);
      await clock.advance(20 * 60_000);
      expect(kinds(all)).toEqual(new Set(["reply"]));
      expect(clock.pending).toBe(0);
    },
  );

  test("and was never reached fails after its retry budget, as a wrong address does", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, () => UNREACHABLE);
    const asked = put(1);
    await clock.advance(61_000);
    expect(asked.outcome).toMatchObject({ failure: { kind: "connection" } });
  });

  test("for longer than anyone waits: all that wait fail together, and say so", async () => {
    const clock = new FakeClock();
    const { put } = governor(clock, () => (clock.now() < 500 ? null : UNREACHABLE), {
      limitPatienceMs: 10 * 60_000,
    });
    put(0);
    await clock.advance(1_000);
    const all = Array.from({ length: 8 }, (_, n) => put(n + 1));
    await clock.advance(13 * 60_000);
    expect(kinds(all)).toEqual(new Set(["failure"]));
    expect(clock.pending).toBe(0);
  });
});

test("whatever limits come, and whatever is cancelled: every request ends, and a pause has at most one request at a time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ from: fc.nat(120), length: fc.integer({ min: 1, max: 90 }), named: fc.boolean() }),
        { maxLength: 4 },
      ),
      fc.array(fc.record({ at: fc.nat(200), cancelAfter: fc.option(fc.nat(100), { nil: null }) }), {
        minLength: 1,
        maxLength: 20,
      }),
      async (windows, requests) => {
        const clock = new FakeClock();
        const closedUntil = () => {
          const now = clock.now() / 60_000;
          const inside = windows.filter(({ from, length }) => now >= from && now < from + length);
          return inside.length === 0
            ? null
            : inside.reduce((a, b) => (a.from + a.length > b.from + b.length ? a : b));
        };
        const { put } = governor(clock, () => {
          const closed = closedUntil();
          if (closed === null) return null;
          return closed.named ? limited((closed.from + closed.length) * 60_000 - clock.now()) : BUSY;
        });
        const all: Put[] = [];
        for (const [n, { at, cancelAfter }] of requests.entries()) {
          clock.after(at * 60_000, () => {
            const abort = new AbortController();
            all.push(put(n, "a", abort.signal));
            if (cancelAfter !== null) clock.after(cancelAfter * 60_000, () => abort.abort());
          });
        }
        await clock.advance(10 * HOUR);
        expect(all).toHaveLength(requests.length);
        for (const { outcome } of all) expect(outcome).toBeDefined();
        for (const [n, { cancelAfter }] of requests.entries())
          if (cancelAfter === null && windows.every(({ named }) => named))
            expect(kinds(all.slice(n, n + 1)).has(undefined)).toBe(false);
        expect(clock.pending).toBe(0);
      },
    ),
    { seed: 20261127, numRuns: 60 },
  );
});
