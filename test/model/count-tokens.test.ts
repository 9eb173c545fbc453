import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { threadGateway } from "../../src/model/gateway.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { localGateway } from "../../src/model/gateway-server.ts";
import { offlineModel } from "../../src/model/offline.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type Handler, startMessagesServer } from "../support/messages-server.ts";
import { ask, replyIn, requestOf } from "./asking.ts";

const never = new AbortController().signal;
const COUNT = "/v1/messages/count_tokens";
const counting = (tokens: unknown): ReturnType<Handler> => ({
  body: JSON.stringify({ input_tokens: tokens }),
});

async function serving(handler: Handler) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

function count(
  client: Pick<ModelClient, "countTokens">,
  words = "Hello",
  signal = never,
): Promise<number | null> {
  if (!client.countTokens) throw new Error("It cannot count.");
  return client.countTokens(requestOf({ messages: [{ role: "user", content: words }] }), signal);
}

describe("a server's own count", () => {
  test("is asked for what a request would send, without what only a reply needs", async () => {
    const server = await serving(() => counting(41));
    const client = anthropicModel({ apiKey: "k", baseURL: server.url, aliases: { opus: "big-model" } });
    const tools = [{ name: "Read", description: "reads", input_schema: { type: "object" as const } }];
    const messages = [{ role: "user" as const, content: "Hello" }];
    expect(await client.countTokens?.(requestOf({ model: "opus", tools, messages }), never)).toBe(41);
    const [request] = server.requests;
    expect([request?.method, request?.path]).toEqual(["POST", COUNT]);
    expect(request?.body).toEqual({
      ...{ model: "big-model", tools, messages },
      system: [{ type: "text", text: "You are a test." }],
    });
    expect(request?.headers["x-api-key"]).toBe("k");
  });

  test("the same request is counted once", async () => {
    const server = await serving(() => counting(7));
    const client = anthropicModel({ baseURL: server.url });
    expect([await count(client), await count(client), await count(client, "other")]).toEqual([7, 7, 7]);
    expect(server.requests).toHaveLength(2);
  });

  test.each([404, 405, 501])("a server without it (%i) is not asked again", async (status) => {
    const server = await serving(() => ({ status, body: "{}" }));
    const client = anthropicModel({ baseURL: server.url });
    expect([await count(client, "a"), await count(client, "b")]).toEqual([null, null]);
    expect(server.requests).toHaveLength(1);
  });

  test.each([400, 401, 429, 500, 529])(
    "one that refuses (%i) is left alone for a minute, and messages are not held up",
    async (status) => {
      const clock = new FakeClock();
      const server = await serving(({ path }) => (path === COUNT ? { status, body: "{}" } : { text: "hi" }));
      const client = anthropicModel({ baseURL: server.url, clock });
      expect([await count(client, "a"), await count(client, "b")]).toEqual([null, null]);
      expect(server.requests).toHaveLength(1);
      await clock.advance(60_000);
      expect(await count(client, "b")).toBeNull();
      expect(server.requests).toHaveLength(2);
      expect(replyIn((await ask(client)).outcome).stopReason).toBe("end_turn");
    },
  );

  test.each([
    "",
    "no json",
    "{}",
    '{"input_tokens":"7"}',
    '{"input_tokens":-1}',
    '{"input_tokens":null}',
    "[]",
  ])("takes an answer without a count for no count: %j", async (body) => {
    const server = await serving(() => ({ body }));
    expect(await count(anthropicModel({ baseURL: server.url }))).toBeNull();
  });

  test("does not wait for a server that is silent; an abort ends it immediately", async () => {
    const clock = new FakeClock();
    const server = await serving(() => new Promise(() => {}));
    const slow = count(anthropicModel({ baseURL: server.url, clock }));
    await server.request(0);
    await clock.advance(3_000);
    expect(await slow).toBeNull();
    expect(await (await server.request(0)).ended).toBe("broken");

    const stop = new AbortController();
    const stopped = count(anthropicModel({ baseURL: server.url }), "b", stop.signal);
    await server.request(1);
    stop.abort();
    expect(await stopped).toBeNull();
  });

  test("returns null if no server listens", async () => {
    expect(await count(anthropicModel({ baseURL: "http://127.0.0.1:9" }))).toBeNull();
  });

  test("counts some of many requests, and answers all", async () => {
    const server = await serving(() => counting(9));
    const client = anthropicModel({ baseURL: server.url });
    const counts = await Promise.all(Array.from({ length: 40 }, (_, at) => count(client, `${at}`)));
    expect(new Set(counts)).toEqual(new Set([9, null]));
    expect(server.requests.length).toBeLessThan(40);
  });
});

describe("through an agent's lane", () => {
  test("from the gateway's thread", async () => {
    const server = await serving(() => counting(12));
    const gateway = threadGateway({ source: { provider: "anthropic", baseURL: server.url } });
    onTestFinished(() => gateway.close());
    // A machine that is busy starts a thread slowly.
    expect(await count(new GatewayClient(gateway.connect(MAIN, true), undefined, new FakeClock()))).toBe(12);
  });

  test("a client that cannot count, or breaks its promise, is no count", async () => {
    const reply = scriptedModel([]).ask;
    const clients: ModelClient[] = [
      scriptedModel([]),
      {
        name: "throws",
        ask: reply,
        countTokens: () => {
          throw new Error("oops");
        },
      },
      { name: "rejects", ask: reply, countTokens: () => Promise.reject(new Error("oops")) },
      { name: "lies", ask: reply, countTokens: async () => Number.NaN },
    ];
    for (const client of clients) {
      const gateway = localGateway(client);
      expect(await count(new GatewayClient(gateway.connect(MAIN, true)))).toBeNull();
      await gateway.close();
    }
  });

  test("a gateway that goes, a lane that closes and an answer that never comes end it", async () => {
    const deaf: ModelClient = {
      name: "deaf",
      ask: scriptedModel([]).ask,
      countTokens: () => new Promise(() => {}),
    };
    const gateway = localGateway(deaf);
    const gone = count(new GatewayClient(gateway.connect(MAIN, true)));
    await gateway.close();
    expect(await gone).toBeNull();

    const lane = new GatewayClient(localGateway(deaf).connect(MAIN, true));
    const closed = count(lane);
    lane.close();
    expect(await closed).toBeNull();
    expect(await count(lane)).toBeNull();

    const clock = new FakeClock();
    const patient = new GatewayClient(localGateway(deaf).connect(MAIN, true), undefined, clock);
    const late = count(patient);
    await clock.advance(5_000);
    expect(await late).toBeNull();
    patient.close();
  });

  test("does not count a request that is not plain data, and the lane stays open", async () => {
    const gateway = localGateway(scriptedModel([{ text: "hi" }], { countTokens: () => 3 }));
    const lane = new GatewayClient(gateway.connect(MAIN, true));
    onTestFinished(() => gateway.close());
    const odd = { ...requestOf(), system: [(() => "no data") as unknown as string] };
    expect(await lane.countTokens?.(odd, never)).toBeNull();
    expect(await count(lane)).toBe(3);
    expect(replyIn((await ask(lane)).outcome).content).toMatchObject([{ text: "hi" }]);
  });
});

test("the offline model counts as its usage says", async () => {
  const client = offlineModel();
  const { usage } = replyIn((await ask(client)).outcome);
  expect(await client.countTokens?.(requestOf(), never)).toBe(usage.input_tokens);
});
