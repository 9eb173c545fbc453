import { once } from "node:events";
import { MessageChannel, type Worker } from "node:worker_threads";
import { afterEach, describe, expect, test } from "vitest";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type { Gateway, GatewayNotice, ModelEvent } from "../../src/model/client.ts";
import { type GatewayConfig, proxyVariables, threadGateway } from "../../src/model/gateway.ts";
import { GatewayClient } from "../../src/model/gateway-client.ts";
import { localGateway, textRelay } from "../../src/model/gateway-server.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { apiError, type Handler, startMessagesServer } from "../support/messages-server.ts";
import { ask, failureIn, replyIn, requestOf } from "./asking.ts";

const OTHER = ActorId.parse("other");
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function threaded(handler: Handler, config: Partial<GatewayConfig> = {}) {
  const server = await startMessagesServer(handler);
  const source = { provider: "anthropic", apiKey: "key-1", baseURL: server.url } as const;
  const started = once(process, "worker") as Promise<[Worker]>;
  const gateway = threadGateway({ source, ...config });
  open.push(server, gateway);
  const [worker] = await started;
  return { server, gateway, worker };
}

function local(model = scriptedModel(() => ({ text: "Hi." })), clock = new FakeClock()) {
  const gateway = localGateway(model, { clock, random: () => 0.5 });
  open.push(gateway);
  return { gateway, model, clock };
}

const noticesOf = (gateway: Gateway) => {
  const notices: GatewayNotice[] = [];
  gateway.onNotice((notice) => notices.push(notice));
  return notices;
};

/** Both kinds keep the same promises. */
const KINDS: readonly [string, () => Promise<{ gateway: Gateway; stuck: Promise<unknown> }>][] = [
  [
    "on the caller's thread",
    async () => {
      let ask = () => {};
      const stuck = new Promise<void>((resolve) => {
        ask = resolve;
      });
      const model = scriptedModel(({ model }) => {
        if (model !== "stuck") return { text: "Hi.", usage: { input_tokens: 100, output_tokens: 20 } };
        ask();
        return { after: new Promise(() => {}) };
      });
      return { ...local(model), stuck };
    },
  ],
  [
    "in its own thread",
    async () => {
      let ask = () => {};
      const stuck = new Promise<void>((resolve) => {
        ask = resolve;
      });
      const { gateway } = await threaded(({ body }) => {
        if (body.model !== "stuck") return { text: "Hi." };
        ask();
        return new Promise(() => {});
      });
      return { gateway, stuck };
    },
  ],
];

describe.each(KINDS)("a gateway %s", (_kind, start) => {
  test("answers on each agent's own port and counts what it used", async () => {
    const { gateway } = await start();
    const notices: GatewayNotice[] = [];
    // They travel on another port than the replies.
    const counted = new Promise<void>((resolve) => {
      gateway.onNotice((notice) => {
        if (notices.push(notice) === 2) resolve();
      });
    });
    for (const actor of [MAIN, OTHER]) {
      const lane = new GatewayClient(gateway.connect(actor, actor === MAIN));
      expect(replyIn((await ask(lane)).outcome).content).toMatchObject([{ type: "text", text: "Hi." }]);
    }
    await counted;
    expect(notices).toMatchObject(
      // Whoever an agent says it is: what counts is the port.
      [MAIN, OTHER].map((actor) => ({
        type: "usage",
        actor,
        model: "test-model",
        usage: { input_tokens: 100, output_tokens: 20 },
      })),
    );
  });

  test("ends an agent's requests when it is disconnected, closed or connected again, and others' not", async () => {
    const { gateway, stuck } = await start();
    const lane = new GatewayClient(gateway.connect(MAIN, true));
    const other = new GatewayClient(gateway.connect(OTHER, false));
    const waiting = ask(lane, { model: "stuck" });
    await stuck;
    gateway.disconnect(MAIN);
    expect(failureIn((await waiting).outcome)).toMatchObject({
      kind: "connection",
      message: expect.stringContaining("gateway stopped"),
    });
    expect(failureIn((await ask(lane)).outcome).kind).toBe("connection");
    const first = ask(new GatewayClient(gateway.connect(MAIN, true)), { model: "stuck" });
    const again = new GatewayClient(gateway.connect(MAIN, true));
    expect(failureIn((await first).outcome).kind).toBe("connection");
    for (const each of [again, other]) replyIn((await ask(each)).outcome);
    await gateway.close();
    expect(failureIn((await ask(again)).outcome).kind).toBe("connection");
    await gateway.close();
  });

  test("a cancelled request ends immediately, the next on the same port is answered", async () => {
    const { gateway, stuck } = await start();
    const lane = new GatewayClient(gateway.connect(MAIN, true));
    const abort = new AbortController();
    const waiting = ask(lane, { model: "stuck" }, abort.signal);
    await stuck;
    abort.abort();
    expect(failureIn((await waiting).outcome).kind).toBe("cancelled");
    replyIn((await ask(lane)).outcome);
  });
});

describe("the gateway's thread", () => {
  test("asks sent before it is ready are answered, aliases resolved, the key used", async () => {
    const { server, gateway } = await threaded(() => ({ text: "Hi." }), { aliases: { opus: "mine" } });
    replyIn((await ask(new GatewayClient(gateway.connect(MAIN, true)), { model: "opus" })).outcome);
    const { body, headers } = await server.request(0);
    expect(body.model).toBe("mine");
    expect(headers["x-api-key"]).toBe("key-1");
  });

  test("a cancellation, and the end of an agent, close the socket", async () => {
    const { server, gateway } = await threaded(() => new Promise(() => {}));
    const abort = new AbortController();
    const lane = new GatewayClient(gateway.connect(MAIN, true));
    const first = ask(lane, {}, abort.signal);
    const cancelled = await server.request(0);
    abort.abort();
    expect(await cancelled.ended).toBe("broken");
    const second = ask(lane);
    const orphaned = await server.request(1);
    gateway.disconnect(MAIN);
    expect(await orphaned.ended).toBe("broken");
    expect([failureIn((await first).outcome).kind, failureIn((await second).outcome).kind]).toEqual([
      "cancelled",
      "connection",
    ]);
  });

  test("its limits are the caller's: one attempt without a retry budget", async () => {
    const { server, gateway } = await threaded(() => apiError(500, "api_error", "oops"), {
      limits: { patienceMs: 0 },
    });
    expect(failureIn((await ask(new GatewayClient(gateway.connect(MAIN, true)))).outcome).kind).toBe(
      "server",
    );
    expect(server.requests).toHaveLength(1);
  });

  test("closed in order, it says nothing", async () => {
    const { gateway } = await threaded(() => ({ text: "Hi." }));
    let told = "";
    gateway.onClosed((reason) => {
      told = reason;
    });
    replyIn((await ask(new GatewayClient(gateway.connect(MAIN, true)))).outcome);
    await gateway.close();
    await settled();
    expect(told).toBe("");
  });

  test("learns of an environment what a proxy needs, and no key", () => {
    const proxy = { HTTPS_PROXY: "http://proxy", no_proxy: "localhost" };
    const rest = {
      ANTHROPIC_API_KEY: "secret",
      ANTHROPIC_AUTH_TOKEN: "secret",
      HOME: "/home",
      HTTP_PROXY: "",
    };
    expect(proxyVariables({ ...proxy, ...rest })).toEqual(proxy);
  });

  test("serves the offline model as well", async () => {
    const gateway = threadGateway({ source: { provider: "offline" } });
    open.push(gateway);
    const lane = new GatewayClient(gateway.connect(MAIN, true));
    expect(replyIn((await ask(lane)).outcome).model).toBe("offline");
  });
});

describe("a lane", () => {
  test("text comes joined, 50 ms apart; none while it is not shown; the rest in its order", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const send = (event: ModelEvent) =>
      seen.push(
        event.type === "text" ? event.text : event.type === "thinking" ? `(${event.text})` : event.type,
      );
    const relay = textRelay(clock, () => true, send);
    const text = (piece: string) => relay.on({ type: "text", text: piece });
    text("a");
    text("b");
    text("c");
    expect(seen).toEqual(["a"]);
    await clock.advance(50);
    expect(seen).toEqual(["a", "bc"]);
    text("d");
    relay.on({ type: "call-begins", tool: "Read" });
    expect(seen.slice(2)).toEqual(["d", "call-begins"]);
    text("e");
    relay.end();
    expect(seen.slice(4)).toEqual(["e"]);
    text("f");
    relay.on({ type: "thinking", text: "g" });
    text("h");
    relay.end();
    expect(seen.splice(5)).toEqual(["f", "(g)", "h"]);
    expect(clock.pending).toBe(0);
    let isShown = false;
    const silent = textRelay(clock, () => isShown, send);
    silent.on({ type: "text", text: "x" });
    silent.on({ type: "waiting", reason: "", ms: 1, attempt: 1 });
    isShown = true;
    silent.on({ type: "text", text: "y" });
    expect(seen.slice(5)).toEqual(["waiting", "y"]);
    silent.end();
  });

  test("notifies the agent and the session of waiting", async () => {
    const model = scriptedModel([{ failure: { kind: "overloaded", message: "Busy." } }, { text: "Hi." }]);
    const { gateway, clock } = local(model);
    const notices = noticesOf(gateway);
    let waits = () => {};
    const heard = new Promise<void>((resolve) => {
      waits = resolve;
    });
    const outcome = new GatewayClient(gateway.connect(OTHER, false)).ask(
      requestOf(),
      ({ type }) => type === "waiting" && waits(),
      new AbortController().signal,
    );
    await heard;
    expect(notices).toEqual([{ type: "waiting", actor: OTHER, reason: "Busy.", ms: 500, attempt: 1 }]);
    await clock.advance(500);
    replyIn(await outcome);
  });

  test("whose other end closed before anyone listened fails, it does not hang", async () => {
    const { port1, port2 } = new MessageChannel();
    const closed = once(port2, "close");
    port1.close();
    await closed;
    expect(failureIn((await ask(new GatewayClient(port2))).outcome).kind).toBe("connection");
  });

  test("ignores what is not a message: the next request is answered", async () => {
    const { gateway } = await threaded(() => ({ text: "Hi." }));
    const port = gateway.connect(OTHER, false);
    const asks = { type: "request", method: "ask" };
    for (const word of [null, 7, "ask", {}, asks, { ...asks, id: "x" }, { ...asks, id: 3 }])
      port.postMessage(word);
    port.postMessage({ ...asks, id: 4, body: null });
    port.postMessage({ ...asks, id: 5, body: { model: 5 } });
    port.postMessage({ type: "notice", name: "watch", body: "on" });
    expect(replyIn((await ask(new GatewayClient(port))).outcome).content).toEqual([
      { type: "text", text: "Hi." },
    ]);
  });

  test("a request that is not plain data is refused", async () => {
    const { gateway } = local();
    const tools = [{ name: "x", description: "", input_schema: { type: "object" as const, f: () => {} } }];
    expect(
      failureIn((await ask(new GatewayClient(gateway.connect(MAIN, true)), { tools })).outcome).kind,
    ).toBe("invalid_request");
  });
});
