import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelFailureKind, ModelOutcome } from "../../src/model/client.ts";
import { Quota } from "../../src/model/quota.ts";
import type { RateLimit, RateLimits } from "../../src/model/rate-limits.ts";
import { SendRate } from "../../src/model/send-rate.ts";
import { type Flight, Throttle } from "../../src/model/throttle.ts";

const failed = (kind: ModelFailureKind): ModelOutcome => ({
  type: "failure",
  failure: { kind, message: "" },
});

const replied = (input: number, output: number): ModelOutcome => ({
  type: "reply",
  reply: {
    content: [],
    stopReason: "end_turn",
    usage: {
      ...{ input_tokens: input, output_tokens: output },
      ...{ cache_creation_input_tokens: 0, cache_read_input_tokens: 9e9 },
    },
    model: "m",
    apiMs: 0,
  },
});

describe("a throttle, whatever a server answers and in whatever order", () => {
  const limit: fc.Arbitrary<RateLimit> = fc
    .record({
      limit: fc.nat(1000),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      resetMs: fc.option(fc.nat(100_000)),
    })
    .map(({ limit, part, resetMs }) => ({ limit, remaining: Math.floor(limit * part), resetMs }));
  const limits: fc.Arbitrary<RateLimits> = fc.record(
    { requests: limit, tokens: limit, "input-tokens": limit, "output-tokens": limit },
    { requiredKeys: [] },
  );
  const kind = fc.constantFrom<ModelFailureKind>(
    ...(["rate_limit", "rate_limit", "overloaded", "server", "auth", "cancelled"] as const),
  );
  const step = fc.record({
    passMs: fc.nat(3000),
    what: fc.constantFrom("send", "send", "head", "end", "fail"),
    which: fc.nat(20),
    retry: fc.boolean(),
    accepted: fc.boolean(),
    limits,
    kind,
    tokens: fc.nat(5000),
  });

  test("never shuts for ever: with nobody on the way it opens within a minute", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer(), (steps, seed) => {
        let state = seed;
        const throttle = new Throttle(() => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return state / 2 ** 32;
        });
        const flights: Flight[] = [];
        let now = 0;
        for (const { passMs, what, which, retry, accepted, limits, kind, tokens } of steps) {
          now += passMs;
          const flight = flights[which % Math.max(1, flights.length)];
          if (what === "send") {
            if (throttle.opensAt(retry, now) <= now) flights.push(throttle.sent(retry, now));
          } else if (!flight) continue;
          else if (what === "head") throttle.answered(flight, { accepted, limits }, now);
          else {
            flights.splice(flights.indexOf(flight), 1);
            throttle.ended(flight, what === "end" ? replied(tokens, tokens) : failed(kind), now);
          }
          expect(throttle.opensAt(retry, now)).not.toBeNaN();
        }
        for (const flight of flights) throttle.ended(flight, failed("cancelled"), now);
        expect(throttle.opensAt(true, now)).toBeLessThanOrEqual(now + 60_000);
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe("tokens that a server limits", () => {
  test("hold back a request that would not fit until it does; what is read from a cache does not count", () => {
    const throttle = new Throttle(() => 0.5);
    const first = throttle.sent(false, 0);
    const told = { limit: 60_000, remaining: 40_000, resetMs: 20_000 };
    throttle.answered(first, { accepted: true, limits: { "input-tokens": told } }, 100);
    throttle.ended(first, replied(30_000, 500), 1000);
    // 40,000 and what came since at 1,000 a second: one fits, of the next 19,100 are missing.
    expect(throttle.opensAt(false, 1000)).toBeLessThanOrEqual(1000);
    throttle.sent(false, 1000);
    expect(throttle.opensAt(false, 1000)).toBeCloseTo(1000 + 19_100, -1);
  });

  test("hold back nobody for longer than a minute, nor what is larger than the whole limit for ever", () => {
    const quota = new Quota(1);
    quota.told({ limit: 10, remaining: 0, resetMs: 24 * 3600_000 }, 0, 0);
    expect(quota.opensAt(0)).toBe(60_000);
    const large = new Quota(0);
    large.cost(100_000);
    large.told({ limit: 50_000, remaining: 50_000, resetMs: 0 }, 0, 0);
    expect(large.opensAt(0)).toBe(0);
  });
});

describe("the rate", () => {
  test("is unlimited until a refusal, is cut once for a burst of them, and only sending raises it", () => {
    const rate = new SendRate(() => 0.5);
    for (let n = 0; n < 40; n++) rate.sent(0);
    for (let n = 0; n < 10; n++) rate.accepted(0, 40);
    expect(rate.opensAt).toBeLessThanOrEqual(0);
    expect(rate.refused("limited", 0, 50)).toBe(true);
    for (let n = 1; n < 30; n++) expect(rate.refused("limited", 0, 50)).toBe(false);
    expect(rate.perSecond).toBeCloseTo(8.5);
    const idle = rate.perSecond;
    rate.sent(60_000);
    expect(rate.perSecond).toBe(idle);
    rate.accepted(60_000, 60_040);
    for (let n = 0; n < 20; n++) rate.sent(rate.opensAt);
    expect(rate.perSecond).toBeGreaterThan(idle);
  });

  test("falls at most to the half at once and not without end, however often it is refused", () => {
    const rate = new SendRate(() => 0.5);
    for (let n = 0; n < 100; n++) rate.accepted(0, 5);
    let now = 10;
    rate.refused("limited", 0, now);
    for (let n = 0; n < 50; n++) {
      const before = rate.perSecond;
      now = Math.max(now, rate.opensAt);
      rate.sent(now);
      now += 10;
      rate.refused("limited", now - 10, now);
      expect(rate.perSecond).toBeGreaterThanOrEqual(Math.min(before, Math.max(0.5, 0.4 * before)));
    }
    expect(rate.perSecond).toBeCloseTo(0.5);
  });
});
