import { once } from "node:events";
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { startThread } from "../../src/lib/threads.ts";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type { Gateway, GatewayNotice, ModelEvent } from "../../src/model/client.ts";
import { threadGateway } from "../../src/model/gateway.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { type Handler, startMessagesServer } from "../support/messages-server.ts";
import { ask, failureIn, replyIn, requestOf } from "./asking.ts";

const open: { close(): unknown }[] = [];
const threads: Worker[] = [];
const onWorker = (worker: Worker) => threads.push(worker);
process.on("worker", onWorker);
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  threads.length = 0;
});

const never = new AbortController().signal;
const actors = Array.from({ length: 8 }, (_, n) => ActorId.parse(`agent${n}`));

/** The gateway's newest thread, once there are so many. */
async function thread(n: number): Promise<Worker> {
  while (threads.length <= n) await once(process, "worker");
  const found = threads[n];
  if (!found) throw new Error(`there is no thread ${n}`);
  return found;
}

async function gatewayOver(handler: Handler, clock = new FakeClock()) {
  const server = await startMessagesServer(handler);
  const gateway = threadGateway(
    { source: { provider: "anthropic", apiKey: "key-1", baseURL: server.url } },
    { clock },
  );
  open.push(server, gateway);
  const notices: GatewayNotice[] = [];
  gateway.onNotice((notice) => notices.push(notice));
  const closed = new Promise<string>((resolve) => gateway.onClosed(resolve));
  return { server, gateway, notices, closed, clock };
}

/** As an agent's thread has it: a lane, and a supervisor that gives it another port. */
function laneOf(gateway: Gateway, actor: ActorId) {
  const lane = new GatewayClient(gateway.connect(actor, actor === MAIN), async () => {
    if (gateway.isOver) throw new Error("There is no gateway any more.");
    return gateway.connect(actor, actor === MAIN);
  });
  open.push(lane);
  return lane;
}

/** Without the cache breakpoints, which a request adds. */
function textOfMessage({ content }: { readonly content: unknown }): unknown {
  const [block] = Array.isArray(content) ? content : [];
  return typeof content === "string" ? content : block?.text;
}

const begun: Handler = () => ({ text: "Once upon", upTo: '"content_block_stop"', ending: "stall" });

describe("the gateway's thread is killed", () => {
  test("while 8 requests stream: it is started again, all 8 are sent again and answered, no other request notices", {
    tags: ["long"],
  }, async () => {
    const { server, gateway, notices } = await gatewayOver((request) =>
      request.n < 8 ? begun(request) : { text: "Once upon a time." },
    );
    const events = actors.map((): ModelEvent[] => []);
    const streaming = Promise.withResolvers<void>();
    const answers = actors.map((actor, n) =>
      laneOf(gateway, actor).ask(
        requestOf({ actor }),
        (event) => {
          events[n]?.push(event);
          if (events.every(({ length }) => length > 0)) streaming.resolve();
        },
        never,
      ),
    );
    await streaming.promise;
    await (await thread(0)).terminate();
    for (const answer of answers)
      expect(replyIn(await answer).content).toMatchObject([{ text: "Once upon a time." }]);
    expect(server.requests).toHaveLength(16);
    // What had streamed begins anew, and whoever reads along is told so.
    for (const told of events)
      expect(told).toMatchObject([
        { type: "text", text: "Once upon" },
        { type: "waiting", reason: expect.stringContaining("gateway stopped"), attempt: 1 },
        { type: "text", text: "Once upon a time." },
      ]);
    expect(notices.filter(({ type }) => type === "restarted")).toMatchObject([
      { reason: expect.stringContaining("started again") },
    ]);
    expect(threads).toHaveLength(2);
  });

  test("while 64 agents stream their second turn: each conversation goes out again whole, and each agent gets one reply", async () => {
    const many = Array.from({ length: 64 }, (_, n) => ActorId.parse(`many${n}`));
    const { server, gateway } = await gatewayOver((request) =>
      request.n >= 64 && request.n < 128
        ? begun(request)
        : { text: `Reply to ${request.body.messages.length}.` },
    );
    const lanes = many.map((actor) => laneOf(gateway, actor));
    const firsts: MessageParam[][] = many.map((actor) => [{ role: "user", content: `I am ${actor}.` }]);
    const askAll = (conversations: readonly MessageParam[][], onText = () => {}) =>
      Promise.all(
        lanes.map((lane, n) =>
          lane.ask(requestOf({ actor: many[n] ?? MAIN, messages: conversations[n] ?? [] }), onText, never),
        ),
      );
    await askAll(firsts);
    const seconds = firsts.map((messages): MessageParam[] => [
      ...messages,
      { role: "assistant", content: "Yes." },
      { role: "user", content: "And then?" },
    ]);
    let streaming = 0;
    const all = Promise.withResolvers<void>();
    const replies = askAll(seconds, () => {
      streaming += 1;
      if (streaming === 64) all.resolve();
    });
    await all.promise;
    await (await thread(0)).terminate();
    for (const outcome of await replies)
      expect(replyIn(outcome).content).toMatchObject([{ type: "text", text: "Reply to 3." }]);
    const again = server.requests
      .slice(128)
      .map(({ body }) => JSON.stringify(body.messages.map(textOfMessage)));
    const whole = seconds.map((messages) => JSON.stringify(messages.map(textOfMessage)));
    expect(again.toSorted()).toEqual(whole.toSorted());
  });

  test("while it is started again: the next one takes over", async () => {
    const { gateway, notices } = await gatewayOver((request) =>
      request.n === 0 ? begun(request) : { text: "Here." },
    );
    const streaming = Promise.withResolvers<void>();
    const answer = laneOf(gateway, MAIN).ask(requestOf(), () => streaming.resolve(), never);
    await streaming.promise;
    const second = thread(1).then((worker) => worker.terminate());
    await (await thread(0)).terminate();
    await second;
    expect(replyIn(await answer).content).toMatchObject([{ text: "Here." }]);
    expect(notices.filter(({ type }) => type === "restarted")).toHaveLength(2);
  });

  test("while nothing is asked: the next request finds the new one", async () => {
    const { server, gateway } = await gatewayOver(() => ({ text: "Hi." }));
    const lane = laneOf(gateway, MAIN);
    replyIn((await ask(lane)).outcome);
    await (await thread(0)).terminate();
    replyIn((await ask(lane)).outcome);
    expect(server.requests).toHaveLength(2);
  });

  test("oftener than three times in a minute: it is given up, said, and every request ends", {
    tags: ["long"],
  }, async () => {
    const { server, gateway, closed, clock } = await gatewayOver(() => new Promise(() => {}));
    const lane = laneOf(gateway, MAIN);
    const waiting = ask(lane);
    for (let n = 0; n < 4; n++) {
      await server.request(n);
      await (await thread(n)).terminate();
    }
    expect(failureIn((await waiting).outcome).kind).toBe("connection");
    expect(await closed).toMatch(/gateway stopped/);
    expect(failureIn((await ask(lane)).outcome).kind).toBe("connection");
    expect(failureIn((await ask(new GatewayClient(gateway.connect(MAIN, true)))).outcome).kind).toBe(
      "connection",
    );
    expect(threads).toHaveLength(4);
    expect(clock.pending).toBe(0);
    await gateway.close();
  });

  test("once in a while: each is forgiven after a minute", { tags: ["long"] }, async () => {
    const { server, gateway, clock } = await gatewayOver(() => ({ text: "Hi." }));
    const lane = laneOf(gateway, MAIN);
    for (let n = 0; n < 5; n++) {
      replyIn((await ask(lane)).outcome);
      await (await thread(n)).terminate();
      await clock.advance(60_000);
    }
    replyIn((await ask(lane)).outcome);
    expect(server.requests).toHaveLength(6);
  });

  test("whenever an agent connects: none waits forever for a thread that never lives", {
    tags: ["long"],
  }, async () => {
    const gateway = threadGateway(
      { source: { provider: "offline" } },
      {
        startThread: () =>
          startThread({ name: "dying", entry: new URL("./dying-gateway.ts", import.meta.url) }),
      },
    );
    open.push(gateway);
    const closed = new Promise<string>((resolve) => gateway.onClosed(resolve));
    const answers = actors.map((actor) => ask(laneOf(gateway, actor)));
    for (const answer of answers) expect(failureIn((await answer).outcome).kind).toBe("connection");
    expect(await closed).toContain("code 3");
    expect(threads).toHaveLength(4);
  });

  test("without a way to ask for a new port, a request ends when its thread does", async () => {
    const { server, gateway } = await gatewayOver(() => new Promise(() => {}));
    const waiting = ask(new GatewayClient(gateway.connect(MAIN, true)));
    await server.request(0);
    await (await thread(0)).terminate();
    expect(failureIn((await waiting).outcome).kind).toBe("connection");
  });
});

describe("asking for a new port", () => {
  async function lost(reconnect: () => Promise<MessagePort>) {
    const { port1, port2 } = new MessageChannel();
    const clock = new FakeClock();
    const lane = new GatewayClient(port2, reconnect, clock);
    open.push(lane);
    const abort = new AbortController();
    const answer = ask(lane, {}, abort.signal);
    const gone = once(port2, "close");
    port1.close();
    await gone;
    await settled();
    return { lane, answer, abort, clock };
  }

  test("that is never answered ends with a failure; a port that comes too late is closed", async () => {
    const late = Promise.withResolvers<MessagePort>();
    const { answer, clock } = await lost(() => late.promise);
    await clock.advance(30_000);
    expect(failureIn((await answer).outcome).kind).toBe("connection");
    const { port1, port2 } = new MessageChannel();
    const closed = once(port1, "close");
    late.resolve(port2);
    await closed;
    expect(clock.pending).toBe(0);
  });

  test("is cancelled with the request", async () => {
    const { answer, abort } = await lost(() => new Promise(() => {}));
    abort.abort();
    expect(failureIn((await answer).outcome).kind).toBe("cancelled");
  });

  test.each<[string, () => Promise<MessagePort>]>([
    ["refused", () => Promise.reject(new Error("no gateway"))],
    [
      "answered by a throw",
      () => {
        throw new Error("no supervisor");
      },
    ],
  ])("that is %s ends the request", async (_how, reconnect) => {
    const { answer, clock } = await lost(reconnect);
    expect(failureIn((await answer).outcome).kind).toBe("connection");
    expect(clock.pending).toBe(0);
  });

  test("that gives dead ports is not repeated forever", async () => {
    let asked = 0;
    const { answer, clock } = await lost(async () => {
      asked += 1;
      const { port1, port2 } = new MessageChannel();
      const gone = once(port2, "close");
      port1.close();
      await gone;
      return port2;
    });
    for (let second = 0; second < 10; second++) await clock.advance(1000);
    expect(failureIn((await answer).outcome).kind).toBe("connection");
    expect(asked).toBe(10);
    expect(clock.pending).toBe(0);
  });

  test("ends when the lane is closed, and closing closes the newest port", async () => {
    const pending = Promise.withResolvers<MessagePort>();
    const { lane, answer } = await lost(() => pending.promise);
    lane.close();
    expect(failureIn((await answer).outcome).kind).toBe("connection");
    const { port1, port2 } = new MessageChannel();
    const closed = once(port1, "close");
    pending.resolve(port2);
    await closed;
  });
});

test("a gateway's thread that throws outside a request is started again, and what it threw is said", async () => {
  const entry = new URL("./throwing-gateway.ts", import.meta.url);
  const gateway = threadGateway(
    { source: { provider: "offline" } },
    {
      ...{ clock: new FakeClock(), startThread: () => startThread({ name: "throwing", entry }) },
    },
  );
  open.push(gateway);
  const notice = new Promise<GatewayNotice>((resolve) => gateway.onNotice(resolve));
  gateway.connect(MAIN, true);
  expect(await notice).toEqual({
    type: "restarted",
    reason: "The model gateway stopped and was started again: a buffer too many.",
  });
});
