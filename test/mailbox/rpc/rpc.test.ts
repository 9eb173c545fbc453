// @module-tag long
import { fork } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { Caller, type CallerOptions } from "../../../src/mailbox/rpc/caller.ts";
import { type Channel, channelEnds, portChannel } from "../../../src/mailbox/rpc/channel.ts";
import { receive, type ServeOptions, sender, serve } from "../../../src/mailbox/rpc/server.ts";
import type { Handlers } from "../../../src/mailbox/rpc/table.ts";
import { FakeClock, settled } from "../../support/fake-clock.ts";
import { HANDLERS, TABLE } from "./table.ts";

function ports(over: Partial<Handlers<typeof TABLE>> = {}, options: ServeOptions = {}) {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => {
    port1.close();
    port2.close();
  });
  const server = serve(portChannel(port2), TABLE, { ...HANDLERS, ...over }, options);
  return { ...callerOver(portChannel(port1)), server, port1, port2 };
}

function callerOver(channel: Channel, own: Partial<CallerOptions> = {}) {
  const clock = new FakeClock();
  const caller = new Caller(TABLE, { clock, peer: "The other side", ...own });
  caller.attach(channel);
  return { caller, clock };
}

async function child() {
  const process = fork(new URL("./served-child.ts", import.meta.url), { serialization: "advanced" });
  onTestFinished(() => void process.kill("SIGKILL"));
  const ends = channelEnds();
  process.on("message", ends.receive);
  process.once("disconnect", ends.close);
  const channel: Channel = {
    ...ends,
    post: (frame) => void (process.connected && process.send(frame)),
    hold() {},
    close: () => process.disconnect(),
  };
  return { ...callerOver(channel), channel, process };
}

describe.each<[string, () => Promise<{ readonly caller: Caller<typeof TABLE> }>]>([
  ["a port", async () => ports()],
  ["a child process", child],
])("over %s", (_where, open) => {
  test("match their requests, many together", async () => {
    const { caller } = await open();
    const results = await Promise.all(Array.from({ length: 2_000 }, (_, n) => caller.call("double", n)));
    expect(results).toEqual(results.map((_, n) => ({ ok: true, value: 2 * n })));
    expect(caller.open).toBe(0);
  });

  test("a failure is data: what was thrown, what is malformed, what is unknown", async () => {
    const { caller } = await open();
    const odd = caller as unknown as { call(method: string, body: unknown): Promise<unknown> };
    expect(await caller.call("fail", "the disk is full")).toEqual({
      ...{ ok: false, kind: "failed", message: "the disk is full" },
    });
    expect(await odd.call("double", "two")).toMatchObject({
      ...{ ok: false, kind: "malformed", message: expect.stringMatching(/^malformed double/) },
    });
    for (const name of ["nothing", "toString", "__proto__"])
      expect(await odd.call(name, 1)).toMatchObject({ ok: false, kind: "malformed" });
    expect(await caller.call("lie", null)).toMatchObject({ ok: false, kind: "malformed" });
    expect(await caller.call("double", 4)).toEqual({ ok: true, value: 8 });
  });

  test("events come in order, before the response", async () => {
    const { caller } = await open();
    const told: number[] = [];
    expect(await caller.call("count", 500, { onEvent: (n) => told.push(n) })).toEqual({
      ok: true,
      value: 500,
    });
    expect(told).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
  });

  test("cancelled before it is sent, while it is served, and after its response", async () => {
    const { caller } = await open();
    const cancelled = { ok: false, kind: "cancelled" };
    expect(await caller.call("double", 1, { signal: AbortSignal.abort() })).toMatchObject(cancelled);
    const abort = new AbortController();
    const { signal } = abort;
    const [left, undone, stayed, after] = [
      caller.call("hang", null, { signal }),
      caller.call("wait", "undo", { signal, waitsForCancel: true }),
      caller.call("wait", "stay", { signal, waitsForCancel: true }),
      caller.call("double", 2, { signal }),
    ];
    expect(await after).toEqual({ ok: true, value: 4 });
    abort.abort();
    expect([await left, await undone]).toMatchObject([cancelled, cancelled]);
    expect(await stayed).toEqual({ ok: true, value: "stayed" });
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(caller.open).toBe(0);
  });
});

describe("a deadline", () => {
  test("ends a request that is late and cancels it; in time it leaves no timer", async () => {
    const abort = Promise.withResolvers<void>();
    const { caller, clock } = ports({
      hang: (_null, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            abort.resolve();
            resolve(null);
          });
        }),
    });
    const late = caller.call("hang", null, { deadlineMs: 3_000 });
    expect(await caller.call("double", 1, { deadlineMs: 3_000 })).toEqual({ ok: true, value: 2 });
    await clock.advance(3_000);
    expect(await late).toEqual({
      ...{ ok: false, kind: "late", message: "The other side did not answer within 3 s." },
    });
    await abort.promise;
    expect(clock.pending).toBe(0);
  });
});

describe("a channel that closes", () => {
  test("ends every open request, and every later one: nothing hangs", async () => {
    const { caller, port2 } = ports();
    const open = [caller.call("hang", null), caller.call("wait", "stay")];
    port2.close();
    for (const result of await Promise.all(open)) expect(result).toMatchObject({ ok: false, kind: "gone" });
    expect(await caller.call("double", 1)).toMatchObject({ ok: false, kind: "gone" });
  });

  test("was closed before it was used", async () => {
    const { port1, port2 } = new MessageChannel();
    const gone = once(port1, "close");
    port2.close();
    await gone;
    const { caller } = callerOver(portChannel(port1));
    expect(await caller.call("double", 1)).toMatchObject({ ok: false, kind: "gone" });
  });

  test("cancels what is served for it", async () => {
    const aborted = Promise.withResolvers<void>();
    const { caller, port1 } = ports({
      hang: (_null, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => aborted.resolve())),
    });
    void caller.call("hang", null);
    await caller.call("double", 1);
    port1.close();
    await aborted.promise;
  });

  test("with a child process that dies", async () => {
    const { caller } = await child();
    const open = caller.call("hang", null);
    expect(await caller.call("die", null)).toMatchObject({ ok: false, kind: "gone" });
    expect(await open).toMatchObject({ ok: false, kind: "gone" });
  });
});

describe("another channel in place of one that closed", () => {
  test("has what may be sent again, so often as may be; the rest is over", async () => {
    const first = ports({ hang: () => new Promise(() => {}) });
    const { caller } = first;
    let replays = 0;
    const onReplay = () => {
      replays += 1;
    };
    const again = caller.call("hang", null, { replays: 1, onReplay });
    const twice = caller.call("hang", null, { replays: 2, onReplay });
    const never = caller.call("hang", null);
    first.port2.close();
    expect(await never).toMatchObject({ kind: "gone" });
    expect(await caller.call("double", 1)).toMatchObject({ kind: "gone" });
    const waits = caller.call("double", 2, { replays: 1 });
    const second = ports();
    caller.attach(portChannel(second.port1));
    expect(await waits).toEqual({ ok: true, value: 4 });
    second.port2.close();
    expect(await again).toMatchObject({ kind: "gone" });
    const third = ports({ hang: () => null });
    caller.attach(portChannel(third.port1));
    expect(await twice).toEqual({ ok: true, value: null });
    expect(replays).toBe(3);
  });

  test("gets a body that is built for it", async () => {
    const { caller, port2 } = ports({ double: () => new Promise(() => {}) });
    let built = 0;
    const doubled = caller.call("double", () => ++built, { replays: 1 });
    port2.close();
    await settled();
    caller.attach(portChannel(ports().port1));
    expect(await doubled).toEqual({ ok: true, value: 4 });
  });

  test("is not waited for by what was cancelled, nor by what is given up", async () => {
    const { caller, port2 } = ports();
    const abort = new AbortController();
    const waits = { waitsForCancel: true, replays: 9, signal: abort.signal } as const;
    const before = caller.call("hang", null, { ...waits, signal: AbortSignal.any([abort.signal]) });
    const given = caller.call("hang", null, { replays: 9 });
    port2.close();
    await settled();
    await new Promise((resolve) => setImmediate(resolve));
    const after = caller.call("hang", null, waits);
    abort.abort();
    expect([await before, await after].every(({ ok }) => !ok)).toBe(true);
    caller.giveUp("No other one comes.");
    expect(await given).toEqual({ ok: false, kind: "gone", message: "No other one comes." });
  });
});

describe("invalid frames and requests", () => {
  test("ignores invalid frames, unknown IDs and second responses", async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const malformed: unknown[] = [];
    const { caller } = callerOver(portChannel(port1, { onMalformed: (raw) => malformed.push(raw) }));
    const asked = once(port2, "message");
    const result = caller.call("double", 1);
    const [{ id }] = await asked;
    const odd = [
      7,
      null,
      "x",
      {},
      { type: "response" },
      { type: "response", id, result: 1 },
      { type: "other", id },
    ];
    for (const frame of odd) port2.postMessage(frame);
    port2.postMessage({ type: "response", id: 99, result: { ok: true, value: 1 } });
    port2.postMessage({ type: "event", id: 99, body: 1 });
    port2.postMessage({ type: "response", id, result: { ok: true, value: 2 } });
    port2.postMessage({ type: "response", id, result: { ok: true, value: 3 } });
    expect(await result).toEqual({ ok: true, value: 2 });
    expect(malformed).toEqual(odd);
  });

  test("a response or an event that is not what the table says is reported to the owner", async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    let malformed = 0;
    const onMalformed = () => {
      malformed += 1;
    };
    const { caller } = callerOver(portChannel(port1), { onMalformed });
    const result = caller.call("count", 1, { onEvent: () => expect.unreachable() });
    port2.postMessage({ type: "event", id: 1, body: "one" });
    port2.postMessage({ type: "response", id: 1, result: { ok: true, value: "one" } });
    expect(await result).toMatchObject({ ok: false, kind: "malformed" });
    expect(malformed).toBe(2);
  });

  test("odd requests, cancels of nothing and an ID that is served already are not served", async () => {
    let served = 0;
    const { port1 } = ports({
      hang: () => {
        served += 1;
        return new Promise(() => {});
      },
    });
    const responses: unknown[] = [];
    port1.on("message", (frame) => responses.push(frame));
    for (const frame of [
      ...[
        { type: "cancel", id: 5 },
        { type: "request", id: "1", method: "hang", body: null },
        { type: "request" },
      ],
      { type: "request", id: 1, method: "hang", body: null },
      { type: "request", id: 1, method: "hang", body: null },
      { type: "request", id: 2, method: "double", body: 2 },
    ])
      port1.postMessage(frame);
    while (responses.length === 0) await once(port1, "message");
    expect(served).toBe(1);
    expect(responses).toEqual([{ type: "response", id: 2, result: { ok: true, value: 4 } }]);
  });

  test("what is not plain data is a failure on either side", async () => {
    const { caller } = ports({ lie: () => (() => 7) as never });
    const odd = caller as unknown as { call(method: string, body: unknown): Promise<unknown> };
    expect(await odd.call("double", { no: () => 1 })).toMatchObject({ ok: false, kind: "unsendable" });
    expect(await caller.call("lie", null)).toMatchObject({ ok: false, kind: "failed" });
    expect(await caller.call("double", 1)).toEqual({ ok: true, value: 2 });
  });

  test("a flood of requests loses none, and timers still fire", async () => {
    const { caller } = ports();
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 0);
    const results = await Promise.all(Array.from({ length: 50_000 }, (_, n) => caller.call("double", n)));
    expect(results.every((result, n) => result.ok && result.value === 2 * n)).toBe(true);
    expect(fired).toBe(true);
  });
});

describe("a request with a key", () => {
  test("is served once; a large response is not kept, and not made twice", async () => {
    let served = 0;
    const { caller } = ports(
      {
        double: (n) => {
          served += 1;
          return n * 2;
        },
        count: () => {
          served += 1;
          return 1;
        },
      },
      { remember: { most: 3, large: new Set(["count"]) } },
    );
    const twice = await Promise.all([
      caller.call("double", 1, { key: "a" }),
      caller.call("double", 1, { key: "a" }),
    ]);
    expect(twice).toEqual([twice[0], { ok: true, value: 2 }]);
    expect(await caller.call("count", 1, { key: "a" })).toEqual({ ok: true, value: 1 });
    expect(await caller.call("count", 1, { key: "a" })).toMatchObject({
      message: "This was answered before.",
    });
    expect(served).toBe(2);
    for (const key of ["b", "c", "d"]) await caller.call("double", 1, { key });
    await caller.call("double", 1, { key: "a" });
    expect(served).toBe(6);
  });
});

describe("one-way messages", () => {
  const NOTICES = { word: z.string() };

  test("arrive in order, checked", async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const words: string[] = [];
    let malformed = 0;
    const done = Promise.withResolvers<void>();
    const word = (said: string) => {
      words.push(said);
      if (said === "end") done.resolve();
    };
    receive(portChannel(port2), NOTICES, { word }, () => {
      malformed += 1;
    });
    const tell = sender<typeof NOTICES>(portChannel(port1));
    tell("word", "a");
    tell("word", 7 as never);
    tell("toString" as never, "x" as never);
    tell("word", "end");
    await done.promise;
    expect(words).toEqual(["a", "end"]);
    expect(malformed).toBe(2);
  });

  test("go both ways to a child process", async () => {
    const { channel } = await child();
    const heard = new Promise((word) => receive(channel, NOTICES, { word }));
    sender<typeof NOTICES>(channel)("word", "hello");
    expect(await heard).toBe("HELLO");
  });
});

test("close() serves nothing new, cancels what is served and resolves when that has ended", async () => {
  const { caller, server } = ports();
  const stays = caller.call("wait", "stay");
  await caller.call("double", 1);
  await server.close();
  expect(await stays).toEqual({ ok: true, value: "stayed" });
  void caller.call("double", 1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(caller.open).toBe(1);
});
