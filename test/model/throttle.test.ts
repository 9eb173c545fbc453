import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelFailureKind, ModelOutcome } from "../../src/model/client.ts";
import { SendRate } from "../../src/model/send-rate.ts";
import { type Flight, Throttle } from "../../src/model/throttle.ts";

const failed = (kind: ModelFailureKind): ModelOutcome => ({
  type: "failure",
  failure: { kind, message: "" },
});

const replied: ModelOutcome = {
  type: "reply",
  reply: { content: [], stopReason: "end_turn", usage: noUsage, model: "m", apiMs: 0 },
};

describe("a throttle, whatever a server answers and in whatever order", () => {
  const kind = fc.constantFrom<ModelFailureKind>(
    ...(["rate_limit", "rate_limit", "overloaded", "server", "auth", "cancelled"] as const),
  );
  const step = fc.record({
    passMs: fc.nat(3000),
    what: fc.constantFrom("send", "send", "head", "end", "fail"),
    which: fc.nat(20),
    retry: fc.boolean(),
    accepted: fc.boolean(),
    kind,
  });

  test("never stays shut: with no request in flight it opens within a minute", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer(), (steps, seed) => {
        let state = seed;
        const throttle = new Throttle(() => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return state / 2 ** 32;
        });
        const flights: Flight[] = [];
        let now = 0;
        for (const { passMs, what, which, retry, accepted, kind } of steps) {
          now += passMs;
          const flight = flights[which % Math.max(1, flights.length)];
          if (what === "send") {
            if (throttle.opensAt(retry, { now, wall: now }) <= now) flights.push(throttle.sent(retry, now));
          } else if (!flight) continue;
          else if (what === "head") throttle.answered(flight, accepted, now);
          else {
            flights.splice(flights.indexOf(flight), 1);
            throttle.ended(flight, what === "end" ? replied : failed(kind), now);
          }
          expect(throttle.opensAt(retry, { now, wall: now })).not.toBeNaN();
        }
        for (const flight of flights) throttle.ended(flight, failed("cancelled"), now);
        expect(throttle.opensAt(true, { now, wall: now })).toBeLessThanOrEqual(now + 60_000);
      }),
      { seed: 5, numRuns: 500 },
    );
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
    const gap = rate.opensAt - 50;
    expect(1000 / gap).toBeCloseTo(8.5);
    rate.sent(60_000);
    expect(rate.opensAt - 60_000).toBeCloseTo(gap);
    rate.accepted(60_000, 60_040);
    let last = 0;
    for (let n = 0; n < 20; n++) {
      last = rate.opensAt;
      rate.sent(last);
    }
    expect(rate.opensAt - last).toBeLessThan(gap);
  });

  test("falls at most by half for a refusal, and never below its least, however often it is refused", () => {
    const rate = new SendRate(() => 0.5);
    for (let n = 0; n < 100; n++) rate.accepted(0, 5);
    let now = 10;
    rate.refused("limited", 0, now);
    const perSecond = () => 1000 / (rate.opensAt - now);
    for (let n = 0; n < 50; n++) {
      const before = perSecond();
      now = Math.max(now, rate.opensAt);
      rate.sent(now);
      now += 10;
      rate.refused("limited", now - 10, now);
      expect(perSecond()).toBeGreaterThanOrEqual(Math.min(before, Math.max(0.5, 0.4 * before)));
    }
    expect(perSecond()).toBeCloseTo(0.5);
  });
});
