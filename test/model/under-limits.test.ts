import { describe, expect, test } from "vitest";
import { pause } from "../../src/lib/clock.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { governed } from "../../src/model/governor.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { requestOf } from "./asking.ts";
import { limitedServer, type Seen, type ServerLimits, seeded } from "./limited-server.ts";

interface Work {
  readonly agents: number;
  readonly calls: number;
  /** Milliseconds between two questions of the main conversation; none where absent. */
  readonly leadEveryMs?: number;
  readonly concurrency?: number;
}

/** Lets agents ask a limited server, one call after another each, until all have their replies. */
async function work(
  limits: ServerLimits,
  { agents, calls, leadEveryMs, concurrency = 128 }: Work,
  seed: number,
  every: (now: number) => void = () => {},
) {
  const clock = new FakeClock();
  const random = seeded(seed);
  const { client, seen } = limitedServer(clock, limits, random);
  const ask = governed(client, { clock, random, concurrency });
  const never = new AbortController().signal;
  const failures: string[] = [];
  const leadWaits: number[] = [];
  let left = agents;

  const agent = async (n: number) => {
    const request = requestOf({ actor: ActorId.parse(`agent${n}`) });
    for (let call = 0; call < calls; call++) {
      const outcome = await ask(request, false, () => {}, never);
      if (outcome.type === "failure") failures.push(outcome.failure.message);
    }
    left -= 1;
  };
  const lead = async (everyMs: number) => {
    for (await pause(clock, everyMs); left > 0; await pause(clock, everyMs)) {
      const from = clock.now();
      await ask(requestOf({ actor: MAIN }), true, () => {}, never);
      const reached = seen.findLast(({ actor, accepted }) => actor === MAIN && accepted);
      leadWaits.push((reached?.at ?? Number.POSITIVE_INFINITY) - from);
    }
  };
  let wallMs = 0;
  const all = Promise.all(Array.from({ length: agents }, (_, n) => agent(n))).then(() => {
    wallMs = clock.now();
  });
  if (leadEveryMs !== undefined) void lead(leadEveryMs);
  while (left > 0 && clock.now() < 3_600_000) {
    every(clock.now());
    await clock.advance(100);
  }
  await all;
  return { seen, failures, leadWaits, wallMs };
}

const refusedOf = (seen: readonly Seen[]) => seen.filter(({ accepted }) => !accepted).length;
const mostRetries = (seen: readonly Seen[]) => Math.max(...seen.map(({ retries }) => retries));

/** The first 15 seconds: until then the governor learns from refusals what nobody told it. */
const WARM_UP_MS = 15_000;

/** `refused`: the share of requests after the warm-up; `retries`: how many may be on their way at once. */
interface Server {
  readonly how: string;
  readonly limits: ServerLimits;
  readonly agents: number;
  readonly refused: number;
  readonly retries: number;
}

describe("a server that allows 5 requests a second, in bursts of 5 (demands C7, D6)", () => {
  const five = { perSecond: 5, burst: 5, headMs: 60, replyMs: 400 };
  const usual = { agents: 32, refused: 0.02, retries: five.burst };
  const servers: readonly Server[] = [
    { how: "tells how long to wait", ...usual, limits: { ...five, tellsWait: true } },
    { how: "tells nothing", ...usual, limits: { ...five, tellsWait: false } },
    // So many agents that their number is no limit; that their replies overlap says nothing of the rate.
    {
      ...usual,
      how: "takes 20 seconds for a reply",
      agents: 128,
      limits: { ...five, replyMs: 20_000, tellsWait: true },
    },
    // What leaves in that second is on its way together, and is refused together.
    {
      ...usual,
      how: "takes a second to say anything",
      limits: { ...five, headMs: 1000, tellsWait: true },
      refused: 0.03,
      retries: 10,
    },
  ];
  const cases = servers.flatMap((server) => [1, 2, 3, 4].map((seed) => ({ ...server, seed })));
  test.each(cases)(
    "and $how: $agents agents x 10 calls end within 1.2x of the ideal, refusals stay under $refused of all, retries do not stampede, the lead is first (seed $seed)",
    async ({ limits, agents, refused, retries, seed }) => {
      const { seen, failures, leadWaits, wallMs } = await work(
        limits,
        { agents, calls: 10, leadEveryMs: 4000 },
        seed,
      );
      expect(failures).toEqual([]);
      const asked = seen.length - refusedOf(seen);
      const idealMs = ((asked - limits.burst) / limits.perSecond) * 1000 + limits.headMs / 2 + limits.replyMs;
      expect(wallMs).toBeLessThanOrEqual(1.2 * idealMs);
      const warm = seen.filter(({ at }) => at > WARM_UP_MS);
      expect(refusedOf(warm) / warm.length).toBeLessThan(refused);
      expect(mostRetries(seen)).toBeLessThanOrEqual(retries);
      // The longest it may take: the pause that was asked for, a refusal of its own, and its way there.
      expect(leadWaits.length).toBeGreaterThan(10);
      expect(Math.max(...leadWaits)).toBeLessThan(3000 + limits.headMs);
    },
  );
});

test("a server without limits is not slowed down at all: no request waits for another", async () => {
  const free = {
    perSecond: 1e6,
    burst: 1e6,
    headMs: 0,
    replyMs: 0,
    tellsWait: false,
  };
  const { seen, wallMs } = await work(free, { agents: 64, calls: 5 }, 1);
  expect(seen).toHaveLength(320);
  expect(wallMs).toBe(0);
});

describe("other servers", () => {
  test("50 requests a minute in one bucket: the burst goes immediately, the rest at that rate", async () => {
    const slow = { perSecond: 50 / 60, burst: 50, headMs: 200, replyMs: 3000, tellsWait: true };
    const { seen, failures, wallMs } = await work(slow, { agents: 32, calls: 5 }, 2);
    expect(failures).toEqual([]);
    expect(wallMs).toBeLessThanOrEqual(1.2 * ((160 - 50) / (50 / 60)) * 1000);
    const warm = seen.filter(({ at }) => at > 60_000);
    expect(refusedOf(warm)).toBeLessThanOrEqual(4);
  });

  test("2 in parallel, 50 agents: that is found out and kept, the lead never waits for the queue (fault 54)", async () => {
    const two: ServerLimits = {
      ...{ perSecond: 1e6, burst: 1e6, atOnce: 2, headMs: 40, replyMs: 1000 },
      tellsWait: false,
    };
    for (const seed of [1, 2, 3]) {
      const { seen, failures, leadWaits, wallMs } = await work(
        two,
        { agents: 50, calls: 4, leadEveryMs: 5000 },
        seed,
      );
      expect(failures).toEqual([]);
      const replies = seen.length - refusedOf(seen);
      expect(wallMs).toBeLessThanOrEqual(1.2 * (replies / 2) * (two.headMs + two.replyMs));
      const warm = seen.filter(({ at }) => at > WARM_UP_MS);
      expect(refusedOf(warm) / warm.length).toBeLessThan(0.02);
      // A place is free when one of the two longest replies has ended.
      expect(Math.max(...leadWaits)).toBeLessThan(2 * 1.5 * two.replyMs);
    }
  });

  test("a limit that is lifted is left behind, one that appears is kept within a minute", async () => {
    let perSecond = 2;
    const changing: ServerLimits = {
      ...{ burst: 5, headMs: 50, replyMs: 300, tellsWait: true },
      get perSecond() {
        return perSecond;
      },
    };
    const lifted = await work(changing, { agents: 32, calls: 40 }, 5, (now) => {
      perSecond = now > 60_000 ? 200 : 2;
    });
    expect(lifted.failures).toEqual([]);
    // 1,280 requests at 2 a second would take more than ten minutes.
    expect(lifted.wallMs).toBeLessThan(180_000);
    const appeared = await work(changing, { agents: 32, calls: 40 }, 5, (now) => {
      perSecond = now > 10_000 ? 5 : 40;
    });
    expect(appeared.failures).toEqual([]);
    const warm = appeared.seen.filter(({ at }) => at > 60_000);
    expect(refusedOf(warm) / warm.length).toBeLessThan(0.02);
  });

  test("one that refuses everything for half a minute is not stormed, and is used again when it is back", async () => {
    let perSecond = 0;
    const away: ServerLimits = {
      ...{ burst: 5, headMs: 50, replyMs: 300, tellsWait: false },
      get perSecond() {
        return perSecond;
      },
    };
    const { seen, failures, wallMs } = await work(away, { agents: 32, calls: 10 }, 7, (now) => {
      perSecond = now > 30_000 ? 20 : 0;
    });
    expect(failures).toEqual([]);
    // The first burst, and then about one in two seconds.
    expect(refusedOf(seen.filter(({ at }) => at > 1000 && at < 30_000))).toBeLessThan(40);
    expect(wallMs).toBeLessThan(30_000 + 3 * (320 / 20) * 1000);
  });

  test("each model has its own limits: one that is refused holds up no other", async () => {
    const clock = new FakeClock();
    const refusing: ModelClient = {
      name: "two",
      ask: async ({ model }) =>
        model === "busy"
          ? { type: "failure", failure: { kind: "rate_limit", message: "No.", retryAfterMs: 30_000 } }
          : scriptedModel(() => ({ text: "Hi." })).ask(requestOf(), () => {}, new AbortController().signal),
    };
    const ask = governed(refusing, { clock, random: () => 0.5 });
    const outcomes: string[] = [];
    const put = (model: string, n: number) =>
      void ask(
        requestOf({ model, actor: ActorId.parse(`agent${n}`) }),
        false,
        () => {},
        new AbortController().signal,
      ).then(({ type }) => outcomes.push(`${model} ${type}`));
    put("busy", 0);
    await settled();
    put("busy", 1);
    put("free", 2);
    await settled();
    expect(outcomes).toEqual(["free reply"]);
    await clock.advance(120_000);
    expect(outcomes.sort()).toEqual(["busy failure", "busy failure", "free reply"]);
    expect(clock.pending).toBe(0);
  });

  test("64 agents that lost their connections retry a few at a time, and all together when it holds", async () => {
    const clock = new FakeClock();
    const random = seeded(9);
    let up = false;
    let trying = 0;
    let beforeAnyAnswer = 0;
    let answered = 0;
    const client: ModelClient = {
      name: "flaky",
      async ask(request, on, signal, onAnswer = () => {}) {
        trying += 1;
        if (up && answered === 0) beforeAnyAnswer = Math.max(beforeAnyAnswer, trying);
        await pause(clock, 100, signal);
        trying -= 1;
        if (!up) return { type: "failure", failure: { kind: "connection", message: "Reset." } };
        answered += 1;
        onAnswer(true);
        return scriptedModel([{ text: "Hi." }]).ask(request, on, signal);
      },
    };
    const ask = governed(client, { clock, random, concurrency: 64 });
    const replies: string[] = [];
    for (let n = 0; n < 64; n++)
      void ask(
        requestOf({ actor: ActorId.parse(`agent${n}`) }),
        false,
        () => {},
        new AbortController().signal,
      ).then(({ type }) => replies.push(type));
    await clock.advance(200);
    up = true;
    await clock.advance(5000);
    expect(replies).toEqual(Array.from({ length: 64 }, () => "reply"));
    expect(beforeAnyAnswer).toBe(4);
  });

  test("overloaded in the middle of a stream counts as well: less is sent, and soon as much again (fault 11)", async () => {
    const clock = new FakeClock();
    const sent: number[] = [];
    let busyUntil = 1000;
    const client: ModelClient = {
      name: "overloaded",
      async ask(request, on, signal, onAnswer = () => {}) {
        sent.push(clock.now());
        onAnswer(true);
        await pause(clock, 100, signal);
        if (clock.now() < busyUntil)
          return {
            type: "failure",
            failure: { kind: "overloaded", message: "Overloaded.", partialText: "H" },
          };
        return scriptedModel([{ text: "Hi." }]).ask(request, on, signal);
      },
    };
    const ask = governed(client, { clock, random: () => 0.5, concurrency: 64 });
    const never = new AbortController().signal;
    const agents = Array.from({ length: 32 }, async (_, n) => {
      for (let call = 0; call < 20; call++)
        await ask(requestOf({ actor: ActorId.parse(`agent${n}`) }), false, () => {}, never);
    });
    const inSecond = (second: number) => sent.filter((at) => Math.floor(at / 1000) === second).length;
    await clock.advance(3000);
    busyUntil = 0;
    expect(inSecond(0)).toBeLessThan(100);
    await clock.advance(60_000);
    await Promise.all(agents);
    expect(sent.length).toBeGreaterThanOrEqual(640);
  });
});
