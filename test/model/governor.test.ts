import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type {
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelOutcome,
  ModelRequest,
} from "../../src/model/client.ts";
import { type Ask, type GovernorOptions, governed } from "../../src/model/governor.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { failureIn, replyIn, requestOf } from "./asking.ts";

const LIMITED: ModelFailure = { kind: "rate_limit", message: "Slow down.", retryAfterMs: 5000 };
const OVERLOADED: ModelFailure = { kind: "overloaded", message: "Busy." };
const actor = (n: number) => ActorId.parse(`actor${n}`);

function governor(client: ModelClient, options: Partial<GovernorOptions> = {}) {
  const clock = new FakeClock();
  return { clock, ask: governed(client, { clock, random: () => 0.5, ...options }) };
}

function put(
  ask: Ask,
  {
    lead = false,
    signal = new AbortController().signal,
    ...request
  }: Partial<ModelRequest> & { lead?: boolean; signal?: AbortSignal } = {},
) {
  const events: ModelEvent[] = [];
  const asked = { events, outcome: undefined as ModelOutcome | undefined };
  void ask(requestOf(request), lead, (event) => events.push(event), signal).then((outcome) => {
    asked.outcome = outcome;
  });
  return asked;
}

/** A client whose requests stay open until the test ends them. */
function heldClient() {
  const open: { actor: ActorId; end: (outcome?: ModelOutcome) => void }[] = [];
  let most = 0;
  const client: ModelClient = {
    name: "held",
    ask: (request, _on, signal) =>
      new Promise((resolve) => {
        const end = (outcome: ModelOutcome = REPLY) => {
          open.splice(open.indexOf(held), 1);
          resolve(outcome);
        };
        const held = { actor: request.actor, end };
        open.push(held);
        most = Math.max(most, open.length);
        signal.addEventListener("abort", () => open.includes(held) && end(), { once: true });
      }),
  };
  return { client, open, most: () => most };
}

const REPLY: ModelOutcome = {
  type: "reply",
  reply: {
    content: [],
    stopReason: "end_turn",
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    model: "held",
    apiMs: 0,
  },
};

describe("trying again", () => {
  test("three refusals, then a reply: it waits longer each time and counts down before each try (fault 3)", async () => {
    const model = scriptedModel([
      ...Array.from({ length: 3 }, () => ({ failure: OVERLOADED })),
      { text: "Here." },
    ]);
    const { clock, ask } = governor(model);
    const asked = put(ask);
    await clock.advance(60_000);
    expect(asked.outcome?.type).toBe("reply");
    expect(asked.events.filter(({ type }) => type === "waiting")).toEqual([
      { type: "waiting", reason: "Busy.", ms: 500, attempt: 1 },
      { type: "waiting", reason: "Busy.", ms: 1000, attempt: 2 },
      { type: "waiting", reason: "Busy.", ms: 2000, attempt: 3 },
    ]);
    expect(model.requests).toHaveLength(4);
  });

  test("refused without end, it gives up when its retry budget is spent, and says how long it tried (fault 4)", async () => {
    const { clock, ask } = governor(
      scriptedModel(() => ({ failure: OVERLOADED })),
      { patienceMs: 10_000 },
    );
    const asked = put(ask);
    await clock.advance(9999);
    expect(asked.outcome).toBeUndefined();
    await clock.advance(1);
    expect(asked.outcome).toMatchObject({
      failure: { kind: "overloaded", message: "Busy. Gave up after 6 attempts in 10 s." },
    });
    expect(clock.pending).toBe(0);
  });

  test.each(["auth", "invalid_request", "not_found", "spend_limit", "too_large"] as const)(
    "%s is reported immediately (faults 2, 6, 7)",
    async (kind) => {
      const model = scriptedModel(() => ({ failure: { kind, message: "No." } }));
      const asked = put(governor(model).ask);
      await settled();
      expect(asked.outcome).toEqual({ type: "failure", failure: { kind, message: "No." } });
      expect(model.requests).toHaveLength(1);
    },
  );

  test("a stream that made no sense is tried one more time (fault 24), a final failure not at all", async () => {
    const senseless = scriptedModel(() => ({ failure: { kind: "protocol", message: "What?" } }));
    const { clock, ask } = governor(senseless);
    const asked = put(ask);
    await clock.advance(60_000);
    expect(failureIn(asked.outcome ?? REPLY)).toMatchObject({ kind: "protocol" });
    expect(senseless.requests).toHaveLength(2);
    const final = scriptedModel(() => ({ failure: { kind: "connection", message: "TLS.", final: true } }));
    put(governor(final).ask);
    await settled();
    expect(final.requests).toHaveLength(1);
  });

  test("no patience is one attempt", async () => {
    const model = scriptedModel(() => ({ failure: OVERLOADED }));
    const asked = put(governor(model, { patienceMs: 0 }).ask);
    await settled();
    expect(asked.outcome).toMatchObject({ failure: { message: "Busy." } });
    expect(model.requests).toHaveLength(1);
  });

  test("a client that throws is a failure, not a rejection", async () => {
    const broken: ModelClient = { name: "mine", ask: () => Promise.reject(new Error("oops")) };
    const { clock, ask } = governor(broken);
    const asked = put(ask);
    await clock.advance(60_000);
    expect(asked.outcome).toMatchObject({
      failure: { message: expect.stringContaining('"mine" failed: oops') },
    });
  });
});

describe("a server that asks to wait", () => {
  test("waiting for a silent server is waiting too: it is not asked again for as long (fault 15)", async () => {
    const stalled = { kind: "stalled", message: "Nothing came." } as const;
    const gate = Promise.withResolvers<void>();
    const model = scriptedModel([{ failure: stalled, after: gate.promise }, { text: "late" }]);
    const { clock, ask } = governor(model);
    const answer = put(ask, { actor: actor(1) });
    await clock.advance(120_000);
    gate.resolve();
    await settled();
    expect(model.requests).toHaveLength(1);
    expect(answer.outcome?.type).toBe("failure");
  });

  test("everyone waits at least so long, those who did not ask included (fault 1)", async () => {
    const model = scriptedModel((_request, n) => (n === 0 ? { failure: LIMITED } : { text: "ok" }));
    const { clock, ask } = governor(model);
    const first = put(ask, { actor: actor(1) });
    await settled();
    const second = put(ask, { actor: actor(2) });
    await clock.advance(4999);
    expect(model.requests).toHaveLength(1);
    expect(first.events).toMatchObject([{ type: "waiting", reason: "Slow down.", attempt: 1 }]);
    expect(second.events).toMatchObject([{ type: "waiting", reason: "Slow down.", attempt: 1 }]);
    const [told] = second.events;
    expect(told?.type === "waiting" && told.ms).toBeGreaterThanOrEqual(5000);
  });

  test("afterwards they go one by one at the rate that was learned, the lead first, not all together", async () => {
    const { client, open } = heldClient();
    const { clock, ask } = governor(client, { concurrency: 8 });
    put(ask, { actor: actor(0) });
    await settled();
    for (let n = 1; n <= 5; n++) put(ask, { actor: actor(n) });
    await settled();
    for (const { end } of [...open]) end({ type: "failure", failure: LIMITED });
    await settled();
    put(ask, { actor: MAIN, lead: true });
    await clock.advance(5250);
    expect(open.map((request) => request.actor)).toEqual([MAIN]);
    // Nothing came through in the first second, so about one a second is tried.
    await clock.advance(1000);
    expect(open).toHaveLength(1);
    await clock.advance(200);
    expect(open).toHaveLength(2);
    // Each that is let in makes room: what is not refused any more soon goes as fast as it is asked for.
    for (let second = 0; second < 7; second++) {
      for (const { end } of [...open]) end();
      await clock.advance(1000);
    }
    expect(open).toHaveLength(0);
  });

  test("to wait longer than its retry budget: it gives up immediately and says what was asked", async () => {
    const patient = governor(scriptedModel([{ failure: { ...LIMITED, retryAfterMs: 3_600_000 } }]));
    const asked = put(patient.ask);
    await settled();
    expect(asked.outcome).toMatchObject({
      failure: { kind: "rate_limit", message: expect.stringContaining("asks to wait 3600 s") },
    });
  });

  test("asked again and again, patience ends, also of those who only wait", async () => {
    const { clock, ask } = governor(
      scriptedModel(() => ({ failure: LIMITED })),
      { patienceMs: 12_000 },
    );
    const all = [1, 2, 3].map((n) => put(ask, { actor: actor(n) }));
    await clock.advance(40_000);
    for (const { outcome } of all) expect(outcome).toMatchObject({ failure: { kind: "rate_limit" } });
    expect(clock.pending).toBe(0);
  });
});

describe("places", () => {
  test("waiting for a free place costs no patience", async () => {
    const { client, open } = heldClient();
    const { clock, ask } = governor(client, { concurrency: 1, patienceMs: 1000 });
    put(ask, { actor: actor(1) });
    const second = put(ask, { actor: actor(2) });
    await clock.advance(100_000);
    open[0]?.end();
    await settled();
    open[0]?.end({ type: "failure", failure: OVERLOADED });
    await clock.advance(500);
    open[0]?.end();
    await settled();
    expect(second.outcome?.type).toBe("reply");
  });

  test("actors take turns, each in its own order, the lead before all (54)", async () => {
    const { client, open } = heldClient();
    const { ask } = governor(client, { concurrency: 1 });
    const served: string[] = [];
    for (const [who, lead] of [
      [9, false],
      [1, false],
      [1, false],
      [1, false],
      [2, false],
      [3, false],
      [0, true],
    ] as const)
      put(ask, { actor: actor(who), lead });
    await settled();
    for (let held = open[0]; held; held = open[0]) {
      served.push(held.actor);
      held.end();
      await settled();
    }
    expect(served).toEqual([9, 0, 1, 2, 3, 1, 1].map((n) => `actor${n}`));
  });

  test("cancelled while it waits for a place, in flight or between tries, it is over immediately and its slot is free", async () => {
    const { client, open } = heldClient();
    const { clock, ask } = governor(client, { concurrency: 1 });
    const aborts = [0, 1, 2].map(() => new AbortController());
    const [inFlight, queued, later] = aborts.map(({ signal }, n) => put(ask, { actor: actor(n), signal }));
    await settled();
    aborts[1]?.abort();
    await settled();
    expect(queued?.outcome).toMatchObject({ failure: { kind: "cancelled" } });
    aborts[0]?.abort();
    await settled();
    expect(inFlight?.outcome).toMatchObject({ failure: { kind: "cancelled" } });
    expect(open.map((request) => request.actor)).toEqual([actor(2)]);
    open[0]?.end({ type: "failure", failure: OVERLOADED });
    await settled();
    aborts[2]?.abort();
    await settled();
    expect(later?.outcome).toMatchObject({ failure: { kind: "cancelled" } });
    expect(clock.pending).toBe(0);
  });

  test("a client that does not notice the cancellation holds up no other request", async () => {
    const deaf: ModelClient = { name: "deaf", ask: () => new Promise(() => {}) };
    const abort = new AbortController();
    const asked = put(governor(deaf).ask, { signal: abort.signal });
    abort.abort();
    await settled();
    expect(asked.outcome).toMatchObject({ failure: { kind: "cancelled" } });
  });
});

describe("whatever comes in whatever order", () => {
  type Step =
    | { readonly do: "ask"; readonly who: number; readonly cancelAt: number | null }
    | { readonly do: "end"; readonly which: number; readonly how: "reply" | "busy" | "limited" | "denied" }
    | { readonly do: "pass"; readonly ms: number };
  const step = fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({
      do: fc.constant("ask" as const),
      who: fc.nat(4),
      cancelAt: fc.option(fc.nat(30), { nil: null }),
    }),
    fc.record({
      do: fc.constant("end" as const),
      which: fc.nat(9),
      how: fc.constantFrom("reply", "reply", "busy", "limited", "denied"),
    }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.nat(4000) }),
  );
  const ENDS: Readonly<Record<string, ModelOutcome>> = {
    reply: REPLY,
    busy: { type: "failure", failure: OVERLOADED },
    limited: { type: "failure", failure: LIMITED },
    denied: { type: "failure", failure: { kind: "auth", message: "No." } },
  };

  test("the limit holds, every request settles exactly once, cancelled ones immediately, nothing is left over", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, concurrency) => {
          const { client, open, most } = heldClient();
          const { clock, ask } = governor(client, { concurrency, patienceMs: 20_000 });
          const asked: { settled: number; abort: AbortController; cancelAt: number | null }[] = [];
          for (const [at, now] of steps.entries()) {
            if (now.do === "ask") {
              const entry = { settled: 0, abort: new AbortController(), cancelAt: now.cancelAt };
              asked.push(entry);
              const request = requestOf({ actor: actor(now.who) });
              void ask(request, now.who === 0, () => {}, entry.abort.signal).then(() => {
                entry.settled += 1;
              });
            } else if (now.do === "end") open[now.which % Math.max(1, open.length)]?.end(ENDS[now.how]);
            else await clock.advance(now.ms);
            for (const entry of asked) if (entry.cancelAt === at) entry.abort.abort();
            await settled();
            for (const entry of asked) if (entry.abort.signal.aborted) expect(entry.settled).toBe(1);
          }
          // From here on the server answers: nobody is forgotten, however long the queue.
          for (let round = 0; round < 200 && asked.some((entry) => entry.settled === 0); round++) {
            for (const held of [...open]) held.end();
            await clock.advance(1000);
          }
          expect(asked.map((entry) => entry.settled)).toEqual(asked.map(() => 1));
          expect(most()).toBeLessThanOrEqual(concurrency);
          expect(open).toEqual([]);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  test("no actor starves: between two places of one, every other that waits gets one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { minLength: 1, maxLength: 40 }), async (askers) => {
        const { client, open } = heldClient();
        const { ask } = governor(client, { concurrency: 1 });
        for (const who of askers) put(ask, { actor: actor(who) });
        await settled();
        const served: string[] = [];
        for (let held = open[0]; held; held = open[0]) {
          served.push(held.actor);
          held.end();
          await settled();
        }
        expect([...served].sort()).toEqual(askers.map((who) => String(actor(who))).sort());
        // The first got its place before the others had asked; from then on the turns are strict.
        const left = new Map<string, number>();
        for (const who of served.slice(1)) left.set(who, (left.get(who) ?? 0) + 1);
        const lastTurn = new Map<string, number>();
        for (const [turn, who] of served.slice(1).entries()) {
          const before = lastTurn.get(who);
          if (before !== undefined)
            for (const [other, count] of left)
              if (other !== who && count > 0) expect(lastTurn.get(other) ?? -1).toBeGreaterThan(before);
          lastTurn.set(who, turn);
          left.set(who, (left.get(who) ?? 1) - 1);
        }
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});

test("passes a reply on as it is, with all events before it", async () => {
  const model = scriptedModel([{ text: "Hello.", calls: [{ name: "Read", input: {} }] }]);
  const asked = put(governor(model).ask);
  await settled();
  expect(replyIn(asked.outcome ?? REPLY).content).toMatchObject([{ text: "Hello." }, { name: "Read" }]);
  expect(asked.events).toEqual([
    { type: "text", text: "Hello." },
    { type: "call-begins", tool: "Read" },
  ]);
});
