import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActorHost } from "../../src/actors/hosts.ts";
import { leasingHost } from "../../src/actors/leasing-host.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ActorSpec, Summary, Turn } from "../../src/mailbox/messages.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { countingSpec } from "../support/counting-spec.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { seeded, shippedHosts } from "../support/supervised.ts";
import { servicesWith } from "../support/unasked-services.ts";

/** A model whose reply follows from the conversation alone, as a replay needs it. */
const model = () =>
  scriptedModel((request) => {
    const turns = request.messages.filter(({ role }) => role === "assistant").length;
    if (turns === TURNS) return { text: `The end after ${request.messages.length} messages.` };
    return {
      text: `turn ${turns}`,
      calls: [{ name: "Count", input: { turn: turns }, id: `use_${turns}` }],
      usage: { input_tokens: 10 + turns, output_tokens: 1 },
    };
  });
const TURNS = 6;

const spec = countingSpec;

interface Run {
  readonly turns: readonly Turn[];
  readonly summary: Summary | null;
}

/** Runs an actor until its end, or until its thread is ended right after the turn `endAfter`. */
async function run(host: ActorHost, from: ActorSpec, endAfter: number): Promise<Run> {
  const gateway = localGateway(model());
  const turns: Turn[] = [...from.turns];
  let summary: Summary | null = null;
  const reached = Promise.withResolvers<void>();
  const services = servicesWith({
    reply: async () => null,
    callTool: async ({ input }) => ({ content: JSON.stringify(input), isError: false }),
    async turn(turn) {
      turns.push(turn);
      if (turn.turn === endAfter) reached.resolve();
      return { steer: turn.turn === 2 ? [{ text: "by the way" }] : [] };
    },
    async finish(finish) {
      if (finish.turn) turns.push(finish.turn);
      summary = finish.summary;
      return { type: "closed" };
    },
  });
  const handle = host.start({
    spec: from,
    services,
    connect: () => gateway.connect(MAIN, true),
    elsewhere: null,
    isSuspect: false,
    onReport() {},
  });
  await Promise.race([handle.exited, reached.promise]);
  if (summary === null) handle.terminate();
  await handle.exited;
  await gateway.close();
  return { turns, summary };
}

describe.each(shippedHosts)("an actor resumes from its turn records, %s", (name) => {
  const open = () =>
    name === "in-thread" ? inThreadHost(seededScheduler(seeded(3))) : leasingHost({ onFault: () => {} });

  test("ending its thread after any turn gives the same conversation and the same end (promise 8)", {
    tags: ["long"],
    timeout: 60_000,
  }, async () => {
    const host = open();
    const whole = await run(host, spec, Number.POSITIVE_INFINITY);
    expect(whole.summary).toMatchObject({ status: "done", turns: TURNS + 1 });
    for (let endAfter = 1; endAfter <= TURNS; endAfter += 1) {
      const first = await run(host, spec, endAfter);
      // What was said to it after its last turn is given again: no record of a turn has it yet.
      const recorded = first.turns.slice(0, endAfter);
      const heard = endAfter === 2 ? [{ text: "by the way" }] : [];
      const second = await run(
        host,
        { ...spec, attempt: 2, turns: [...recorded], heard },
        Number.POSITIVE_INFINITY,
      );
      expect(second.summary).toEqual(whole.summary);
      expect(second.turns).toEqual(whole.turns);
    }
    await host.close();
  });
});

test("any chain of endings comes to the same end (in-thread, any order of arrival)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1 }),
      fc.uniqueArray(fc.integer({ min: 3, max: TURNS }), { maxLength: 4 }),
      async (seed, ends) => {
        const host = inThreadHost(seededScheduler(seeded(seed)));
        const whole = await run(host, spec, Number.POSITIVE_INFINITY);
        let turns: readonly Turn[] = [];
        for (const endAfter of ends.sort((a, b) => a - b)) {
          const part = await run(host, { ...spec, turns: [...turns] }, endAfter);
          turns = part.turns.slice(0, endAfter);
        }
        const last = await run(host, { ...spec, turns: [...turns] }, Number.POSITIVE_INFINITY);
        expect(last.turns).toEqual(whole.turns);
        expect(last.summary).toEqual(whole.summary);
        await host.close();
      },
    ),
    { seed: 9, numRuns: 10 },
  );
});
