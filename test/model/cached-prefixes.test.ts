import { describe, expect, onTestFinished, test } from "vitest";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { prefixReader } from "../../src/model/cached-prefixes.ts";
import type { ModelClient, ModelFailure, ModelOutcome, ModelRequest } from "../../src/model/client.ts";
import { threadGateway } from "../../src/model/gateway.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { type GovernorOptions, governed } from "../../src/model/governor.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { apiError, type Handler, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { requestOf } from "./asking.ts";

const SYSTEM = ["You are one of many agents. ".repeat(300)];
const READ = { name: "Read", description: "Reads.", input_schema: { type: "object" } } as const;
const HELLO = "event: message_start";

interface Step {
  /** Resolves when the server has the request. */
  readonly arrived: Promise<unknown>;
  begin(): void;
  finish(): void;
}

/** Agents before a server whose replies begin and end when the test says so, with a clock of the test's own. */
async function world(
  options: Partial<GovernorOptions> = {},
  refuse: (n: number) => ServedReply | null = () => null,
) {
  const gates = Array.from({ length: 40 }, () => ({
    begins: Promise.withResolvers<void>(),
    ends: Promise.withResolvers<void>(),
  }));
  const server = await startMessagesServer(async ({ n, ended }) => {
    const refused = refuse(n);
    if (refused) return refused;
    const gate = gates[n];
    await Promise.race([gate?.begins.promise, ended]);
    return { text: "Hi.", held: { after: HELLO, until: gate?.ends.promise ?? Promise.resolve() } };
  });
  onTestFinished(() => server.close());
  const clock = new FakeClock();
  const sent: string[] = [];
  const model = anthropicModel({ baseURL: server.url, apiKey: "key" });
  const client: ModelClient = {
    ...model,
    ask(request, ...rest) {
      sent.push(request.actor);
      return model.ask(request, ...rest);
    },
  };
  const ask = governed(client, { clock, random: () => 0.5, patienceMs: 0, promptCaching: true, ...options });
  const ended: string[] = [];
  const put = async (name: string, changes: Partial<ModelRequest> = {}, abort = new AbortController()) => {
    const request = requestOf({ actor: ActorId.parse(name), system: SYSTEM, tools: [], ...changes });
    const outcome = await ask(request, request.actor === MAIN, () => {}, abort.signal);
    ended.push(name);
    return outcome;
  };
  const step = (n: number): Step => ({
    arrived: server.request(n),
    begin: () => gates[n]?.begins.resolve(),
    finish: () => {
      gates[n]?.begins.resolve();
      gates[n]?.ends.resolve();
    },
  });
  const finishAll = () => {
    for (const n of gates.keys()) step(n).finish();
  };
  return { server, clock, sent, ended, put, step, finishAll };
}

const outcomes = async (all: readonly Promise<ModelOutcome>[]) =>
  (await Promise.all(all)).map(({ type }) => type);
const names = (count: number) => Array.from({ length: count }, (_, n) => `agent${n}`);

describe("requests that share a cached prefix (issue 19, 3)", () => {
  test("the first of eight goes alone; the others go together once its reply begins, before it ends", async () => {
    const { server, sent, put, step, finishAll, clock } = await world();
    const all = names(8).map((name) => put(name));
    const first = step(0);
    await first.arrived;
    await settled();
    expect(sent).toEqual(["agent0"]);
    first.begin();
    await step(7).arrived;
    expect(sent).toHaveLength(8);
    expect(server.requests).toHaveLength(8);
    finishAll();
    expect(new Set(await outcomes(all))).toEqual(new Set(["reply"]));
    expect(clock.pending).toBe(0);
  });

  test("a second wave goes immediately for 5 minutes after the last use; after that one goes first again", async () => {
    const { sent, put, finishAll, step, clock } = await world();
    finishAll();
    await put("agent0");
    await clock.advance(299_000);
    const second = [put("agent1"), put("agent2")];
    await settled();
    expect(sent).toHaveLength(3);
    await Promise.all(second);
    await clock.advance(301_000);
    const third = [put("agent3"), put("agent4")];
    await settled();
    expect(sent).toHaveLength(4);
    await step(4).arrived;
    await Promise.all(third);
    expect(sent).toHaveLength(5);
  });

  test("a reply that is longer than 5 minutes holds up no request: one goes first again", async () => {
    const { sent, put, step, finishAll, clock } = await world();
    const long = put("agent0");
    step(0).begin();
    const other = put("agent1");
    await step(1).arrived;
    await clock.advance(301_000);
    const later = [put("agent2"), put("agent3")];
    await settled();
    expect(sent).toEqual(["agent0", "agent1", "agent2"]);
    finishAll();
    await Promise.all([long, other, ...later]);
  });

  test("if the first one fails, the next one goes first", async () => {
    const { sent, put, step, finishAll } = await world({}, (n) =>
      n === 0 ? apiError(400, "invalid_request_error", "no") : null,
    );
    const all = names(3).map((name) => put(name));
    expect((await all[0])?.type).toBe("failure");
    await step(1).arrived;
    await settled();
    expect(sent).toEqual(["agent0", "agent1"]);
    finishAll();
    expect(await outcomes(all)).toEqual(["failure", "reply", "reply"]);
  });

  test("if the first one is cancelled, the next one goes first", async () => {
    const { sent, put, step, finishAll } = await world();
    const abort = new AbortController();
    const all = [put("agent0", {}, abort), put("agent1"), put("agent2")];
    await step(0).arrived;
    abort.abort();
    await step(1).arrived;
    await settled();
    expect(sent).toEqual(["agent0", "agent1"]);
    finishAll();
    expect(await outcomes(all)).toEqual(["failure", "reply", "reply"]);
  });

  test("if one that waits is cancelled, the others still wait for the first only", async () => {
    const { sent, put, step, finishAll, clock } = await world();
    const abort = new AbortController();
    const all = [put("agent0"), put("agent1", {}, abort), put("agent2")];
    await step(0).arrived;
    abort.abort();
    await settled();
    expect(sent).toEqual(["agent0"]);
    finishAll();
    expect(await outcomes(all)).toEqual(["reply", "failure", "reply"]);
    expect(clock.pending).toBe(0);
  });

  test("if the first one hangs, the others go together after 5 seconds", async () => {
    const { sent, put, step, finishAll, clock } = await world();
    const all = names(4).map((name) => put(name));
    await step(0).arrived;
    await clock.advance(4_900);
    expect(sent).toHaveLength(1);
    await clock.advance(200);
    expect(sent).toHaveLength(4);
    await step(3).arrived;
    finishAll();
    await Promise.all(all);
  });

  /** When requests are sent to a server of which the test says how long it takes, and how it ends. */
  async function sentTo(server: (n: number) => { ms: number; failure?: ModelFailure }, agents: number) {
    const clock = new FakeClock();
    const sentAt: number[] = [];
    const reply = scriptedModel(() => ({ text: "Hi." }));
    const client: ModelClient = {
      name: "server",
      async ask(request, ...rest) {
        const { ms, failure } = server(sentAt.push(clock.now()) - 1);
        await new Promise<void>((resolve) => void clock.after(ms, resolve));
        return failure ? { type: "failure", failure } : reply.ask(request, ...rest);
      },
    };
    const patience = { patienceMs: 60_000, promptCaching: true };
    const ask = governed(client, { clock, random: () => 0.5, ...patience });
    const never = new AbortController().signal;
    const all = names(agents).map((name) =>
      ask(requestOf({ actor: ActorId.parse(name), system: SYSTEM }), false, () => {}, never),
    );
    await clock.advance(120_000);
    return { sentAt, types: new Set(await outcomes(all)) };
  }

  test("firsts that fail slowly, one after another, cost a request no more than 5 seconds", async () => {
    const failure: ModelFailure = { kind: "connection", message: "No route.", final: true };
    const { sentAt, types } = await sentTo(() => ({ ms: 2_000, failure }), 8);
    expect(types).toEqual(new Set(["failure"]));
    expect(sentAt).toEqual([0, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
  });

  test("after a limit that was waited for, one goes first again", async () => {
    const failure: ModelFailure = { kind: "rate_limit", message: "Slow.", retryAfterMs: 20_000 };
    const { sentAt, types } = await sentTo((n) => (n === 0 ? { ms: 0, failure } : { ms: 1_000 }), 4);
    expect(types).toEqual(new Set(["reply"]));
    const [first, second = 0, ...rest] = sentAt;
    expect(first).toBe(0);
    expect(second).toBeGreaterThanOrEqual(20_000);
    expect(rest.map((at) => at >= second + 1_000)).toEqual([true, true, true]);
  });

  test.each([
    ["that begin after 20 ms", 20, true, 1_020],
    ["that begin when they end", 200, true, 1_200],
    ["that begin after 20 ms, without a cache", 20, false, 1_000],
  ])(
    "8 agents x 5 replies of 200 ms %s cost the beginning of one reply more",
    async (_, ms, promptCaching, wall) => {
      const clock = new FakeClock();
      const reply = scriptedModel(() => ({ text: "Hi." }));
      const pass = (time: number) => new Promise<void>((resolve) => void clock.after(time, resolve));
      const client: ModelClient = {
        name: "server",
        async ask(request, on, signal, onAnswer) {
          await pass(ms);
          onAnswer?.(true);
          await pass(200 - ms);
          return reply.ask(request, on, signal);
        },
      };
      const ask = governed(client, { clock, random: () => 0.5, promptCaching });
      const agents = names(8).map(async (name) => {
        const request = requestOf({ actor: ActorId.parse(name), system: SYSTEM });
        for (let turn = 0; turn < 5; turn += 1)
          await ask(request, false, () => {}, new AbortController().signal);
        return clock.now();
      });
      await clock.advance(2_000);
      expect(Math.max(...(await Promise.all(agents)))).toBe(wall);
    },
  );

  test.each<[string, Partial<ModelRequest>]>([
    ["another system prompt", { system: [`${SYSTEM[0]} Differently.`] }],
    ["other tools", { tools: [READ] }],
    ["another model", { model: "other-model" }],
    ["a short prefix", { system: ["Be brief."] }],
    ["no system prompt", { system: [] }],
    ["a search", { webSearch: {} }],
  ])("a request with %s does not wait", async (_, changes) => {
    const { sent, put, finishAll } = await world();
    const all = [put("agent0"), put("agent1"), put("agent2", changes)];
    await settled();
    expect(sent).toEqual(["agent0", "agent2"]);
    finishAll();
    await Promise.all(all);
  });

  test("the main conversation does not wait for agents", async () => {
    const { sent, put, finishAll } = await world();
    const all = [put("agent0"), put("main")];
    await settled();
    expect(sent).toEqual(["agent0", "main"]);
    finishAll();
    await Promise.all(all);
  });

  test("without a cache no request waits", async () => {
    const { sent, put, finishAll } = await world({ promptCaching: false });
    const all = names(3).map((name) => put(name));
    await settled();
    expect(sent).toHaveLength(3);
    finishAll();
    await Promise.all(all);
  });

  test("a limit of places is used by requests of other prefixes while some wait", async () => {
    const { sent, put, finishAll } = await world({ concurrency: 2 });
    const all = [put("agent0"), put("agent1"), put("agent2"), put("agent3", { tools: [READ] })];
    await settled();
    expect(sent).toEqual(["agent0", "agent3"]);
    finishAll();
    await Promise.all(all);
  });
});

test.each([
  ["the Messages API", { provider: "anthropic" as const }, 1],
  ["DISABLE_PROMPT_CACHING", { provider: "anthropic" as const, promptCaching: false }, 3],
  ["a chat completions API", { provider: "openai" as const }, 3],
])("with %s a gateway sends as many of three together as it should", async (_, source, atFirst) => {
  const opened = Promise.withResolvers<void>();
  const handler: Handler = async () => {
    await opened.promise;
    return apiError(400, "invalid_request_error", "no");
  };
  const server = await startMessagesServer(handler, { record: true });
  onTestFinished(() => server.close());
  const gateway = threadGateway({ source: { ...source, apiKey: "key", baseURL: server.url } });
  onTestFinished(() => gateway.close());
  const all = names(3).map((name) => {
    const actor = ActorId.parse(name);
    const client = new GatewayClient(gateway.connect(actor, false));
    return client.ask(requestOf({ actor, system: SYSTEM }), () => {}, new AbortController().signal);
  });
  await server.request(atFirst - 1);
  expect(server.requests).toHaveLength(atFirst);
  opened.resolve();
  await Promise.all(all);
  expect(server.requests).toHaveLength(3);
});

test("the prefix of a long conversation is read once", () => {
  const read = prefixReader();
  let reads = 0;
  const tool = {
    ...READ,
    get description() {
      reads += 1;
      return "Reads. ".repeat(1_000);
    },
  };
  const request = requestOf({ tools: [tool] });
  const first = read(request);
  expect(first).not.toBeNull();
  expect(read({ ...request, messages: [] })).toBe(first);
  expect(reads).toBe(1);
});
