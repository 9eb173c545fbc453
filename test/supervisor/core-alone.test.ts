import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { resultId } from "../../src/journal/session-state.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ActorId, MAIN, randomIds } from "../../src/mailbox/ids.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { limitsOf } from "../../src/settings/limits.ts";
import { ActorSystem } from "../../src/supervisor/actor-system.ts";
import { FOR_THE_USER } from "../../src/supervisor/run-state.ts";
import { Spawn } from "../../src/supervisor/spawn.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { countingSpec } from "../support/counting-spec.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { seeded } from "../support/supervised.ts";

const id = ActorId.parse("agent1");
const clock = systemClock;

/** The core without any feature, over a model that calls Read and then answers. */
function coreAlone(durable: (event: SessionEvent) => Promise<void> = async () => {}) {
  const records: SessionEvent[] = [];
  const journal = {
    folder: "/",
    async append(event: SessionEvent) {
      await durable(event);
      return records.push(event);
    },
    note: (event: SessionEvent) => void records.push(event),
    state: () => ({ type: "writable" }) as const,
    close: async () => {},
    leave() {},
  };
  const model = scriptedModel((_, n) =>
    n === 0 ? { calls: [{ name: "Read", input: { file_path: "/etc/hostname" } }] } : { text: "done" },
  );
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: [], custom: [] });
  const host = inThreadHost(seededScheduler(seeded(3)));
  const gateway = localGateway(model, { clock, patienceMs: 0, concurrency: 2 });
  const actors = new ActorSystem({
    ...{ journal, gateway, host, maxThreads: 0, clock, limits: limitsOf(), toolbox, wakesMain: false },
    processes: { stopOwner: async () => {}, warm() {} },
    outputs: { write: async () => "", pathOf: () => "" },
    formatResult: (actor, run, { status, text }, path) => ({
      ...{ type: "agent", id: resultId(actor.id, run), agent: actor.id, title: actor.title },
      ...{ status, ending: "", text, note: null, path },
    }),
    onEvent() {},
  });
  const spawn = new Spawn({
    ...{ actors, journal, ids: randomIds(), clock, turnsOf: () => 5, onWarning() {} },
    read: () => Promise.reject(new Error("no journal is read in this test")),
  });
  const spec = { ...countingSpec, id, tools: toolbox.select(["Read"], []) };
  return { actors, spawn, model, records, spec, close: () => Promise.all([host.close(), gateway.close()]) };
}

test("the core runs an agent to its one summary without any feature, and lets no call run that none has allowed", async () => {
  const { actors, spawn, model, records, spec, close } = coreAlone();
  const agent = spawn.start({ id, build: () => spec, runFor: FOR_THE_USER, definition: null });
  expect(await agent.ended).toMatchObject({ status: "done", text: "done" });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("nothing here decides about calls");
  expect(records.flatMap((event) => (event.type === "before" ? [event.decision] : []))).toEqual(["refuse"]);
  expect(records.filter(({ type }) => type === "summary")).toHaveLength(1);
  await actors.close("over", new Set());
  await close();
});

test("a prompt is on disk before a model is asked about it: kill -9 loses none that was seen at work", async () => {
  const held = Promise.withResolvers<void>();
  const { actors, spawn, model, records, spec, close } = coreAlone(async ({ type }) => {
    if (type === "prompt") await held.promise;
  });
  const build = () => ({ ...spec, id: MAIN });
  const agent = spawn.start({ id: MAIN, build, runFor: FOR_THE_USER, definition: null });
  await agent.ended;
  const before = model.requests.length;
  const asked = spawn.ask(agent, "and now?");
  await new Promise((resolve) => setImmediate(resolve));
  expect([agent.hasEnded, model.requests.length]).toEqual([false, before]);
  held.resolve();
  await asked;
  expect(await agent.ended).toMatchObject({ status: "done" });
  expect(records.filter(({ type }) => type === "summary")).toHaveLength(2);
  await actors.close("over", new Set());
  await close();
});

test("features are called in their order: the first that decides has decided, and each may refuse later", async () => {
  const { actors, spawn, model, spec, close } = coreAlone();
  const called: string[] = [];
  const go = { type: "go", by: "rules", reason: "", rewritten: false, outside: false } as const;
  actors.plugIn([
    {
      evaluateCall: async ({ call }) => ({ ...go, input: call.input }),
      prepareCall: () => {
        called.push("first prepares");
        return {};
      },
      afterCall: ({ result }) => {
        called.push(result === null ? "first: it did not run" : "first: it ran");
        return {};
      },
    },
    {
      evaluateCall: () => Promise.reject(new Error("never asked")),
      prepareCall: () => ({ refusal: "The second feature is against it." }),
    },
    {
      prepareCall: () => {
        called.push("third prepares");
        return {};
      },
    },
  ]);
  const agent = spawn.start({ id, build: () => spec, runFor: FOR_THE_USER, definition: null });
  expect(await agent.ended).toMatchObject({ status: "done" });
  expect(called).toEqual(["first prepares", "first: it did not run"]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The second feature is against it.");
  await actors.close("over", new Set());
  await close();
});

test("the notices of all features reach a request, at the start and before each later turn", async () => {
  const { actors, spawn, model, spec, close } = coreAlone();
  actors.plugIn([
    { beforeTurn: ({ turnsTaken }) => ({ notice: { title: "", text: `first feature, ${turnsTaken}` } }) },
    { beforeTurn: ({ turnsTaken }) => ({ notice: { title: "", text: `second feature, ${turnsTaken}` } }) },
  ]);
  await spawn.start({ id, build: () => spec, runFor: FOR_THE_USER, definition: null }).ended;
  const said = JSON.stringify(model.requests.at(-1)?.messages);
  for (const feature of ["first", "second"])
    for (const turn of [0, 1]) expect(said).toContain(`${feature} feature, ${turn}`);
  await actors.close("over", new Set());
  await close();
});

test.each([0, 1])(
  "a feature that throws before the request after turn %i fails the run with its sentence",
  async (turn) => {
    const { actors, spawn, spec, close } = coreAlone();
    actors.plugIn([
      {
        beforeTurn({ turnsTaken }) {
          if (turnsTaken === turn) throw new Error("The feature is broken");
          return {};
        },
      },
    ]);
    const agent = spawn.start({ id, build: () => spec, runFor: FOR_THE_USER, definition: null });
    expect(await agent.ended).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("The feature is broken"),
    });
    await actors.close("over", new Set());
    await close();
  },
);
