import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { ActorHost } from "../../src/actors/hosts.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import type { Compacted } from "../../src/mailbox/compacted.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { shownConversation } from "../../src/mailbox/turns.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { seeded } from "../support/supervised.ts";
import { countingModel, isSummaryRequest, type Run, run, small, spec, textIn } from "./compacting-world.ts";

/** Short and long results, so that both ways to make room are gone. */
const result = (turn: number) => (turn % 4 === 0 ? `${turn}:${"x".repeat(3_000)}` : `${turn} `.repeat(100));
const TURNS = 60;
const from = { ...spec, window: small(6_000) };

function host(seed: number): ActorHost {
  const made = inThreadHost(seededScheduler(seeded(seed)));
  onTestFinished(() => made.close());
  return made;
}

interface Told extends Run {
  /** What the model was sent, by the turn it was to be the reply of; summaries apart. */
  readonly sent: readonly string[];
}

async function told(seed: number, start = from, endAfter = Number.POSITIVE_INFINITY): Promise<Told> {
  const sent: string[] = [];
  const model = countingModel(TURNS, (request) => {
    if (!isSummaryRequest(request)) sent.push(textIn(request.messages));
    return null;
  });
  return { ...(await run({ host: host(seed), model, from: start, endAfter, result })), sent };
}

function startOf(turns: Run["turns"], compacted: Compacted | undefined) {
  return { ...from, turns: [...turns], ...(compacted ? { compacted } : {}) };
}

test("ending its thread after any turns gives the same requests, the same records and the same end (promise 8)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const whole = await told(1);
  expect(whole.summary).toMatchObject({ status: "done", text: `The end at ${TURNS}.` });
  expect(whole.ends.some(({ compacted }) => compacted?.messages.length === 1)).toBe(true);
  expect(whole.ends.some(({ compacted }) => (compacted?.elided ?? 0) > 0)).toBe(true);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1 }),
      fc.uniqueArray(fc.integer({ min: 1, max: TURNS }), { minLength: 1, maxLength: 6 }),
      async (seed, ends) => {
        let turns: Run["turns"] = [];
        let compacted: Compacted | undefined;
        const sent: string[] = [];
        for (const endAfter of [...ends.sort((a, b) => a - b), Number.POSITIVE_INFINITY]) {
          const part = await told(seed, startOf(turns, compacted), endAfter);
          const taken = Math.min(endAfter, part.turns.length);
          // A thread that is ended may have asked for one reply more, which nobody has heard.
          sent.push(...part.sent.slice(0, taken - turns.length));
          turns = part.turns.slice(0, taken);
          ({ compacted } = part);
          // Only a thread that is ended may have none; the last one is not.
          if (endAfter === Number.POSITIVE_INFINITY || part.summary)
            expect(part.summary).toEqual(whole.summary);
        }
        expect(sent).toEqual(whole.sent);
        expect(turns).toEqual(whole.turns);
        expect(compacted).toEqual(whole.compacted);
      },
    ),
    { seed: 4, numRuns: 12 },
  );
});

test("the journal's fold shows the conversation as it was sent, and keeps all of it (D1, fault 66)", async () => {
  const whole = await told(2);
  const events: SessionEvent[] = [{ type: "spawn", spec: from, call: null }];
  let seen = 0;
  for (const { compacted } of whole.ends) {
    if (!compacted) continue;
    // Recorded between two turns, as the agent asked.
    for (const turn of whole.turns.filter((one) => one.turn > seen && one.turn <= compacted.turn))
      events.push({ type: "turn", actor: MAIN, turn });
    seen = compacted.turn;
    events.push({ type: "compacted", actor: MAIN, compacted: { ...compacted, folder: "/kept" } });
    const state = sessionStateOf(events.map((event, seq) => ({ seq, at: "t", event })));
    const rest = state.actors.get(MAIN);
    if (!rest) throw new Error("The actor is gone.");
    expect(textIn(shownConversation(rest.spec, rest.turns))).toBe(whole.sent[seen]);
    expect(rest.turns).toEqual(whole.turns.slice(0, seen));
    expect(rest.spec.messages).toEqual(from.messages);
  }
  expect(seen).toBeGreaterThan(0);
});

test("a thread that is killed while a summary is written leaves the history as it was (fault 66)", async () => {
  let asked = 0;
  const kill = Promise.withResolvers<void>();
  const model = countingModel(TURNS, (request) => {
    if (isSummaryRequest(request) && asked++ === 0) kill.resolve();
    return null;
  });
  const hanging = {
    ...model,
    ask: async (...args: Parameters<typeof model.ask>) => {
      const outcome = await model.ask(...args);
      if (isSummaryRequest(args[0]) && asked === 1) await new Promise(() => {});
      return outcome;
    },
  };
  const first = host(5);
  const cut = run({ host: first, model: hanging, from, result });
  await kill.promise;
  await first.close();
  const { turns, compacted, ends } = await cut;
  expect(ends.every((end) => end.compacted?.messages.length === 0)).toBe(true);
  const whole = await told(6);
  const rest = await told(7, startOf(turns, compacted));
  expect(rest.summary).toEqual(whole.summary);
  expect(rest.sent).toEqual(whole.sent.slice(turns.length));
});
