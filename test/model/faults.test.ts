import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient, ModelEvent, ModelFailureKind } from "../../src/model/client.ts";
import { retryable } from "../../src/model/failures.ts";
import { invalidInput } from "../../src/model/invalid-input.ts";
import { idleWatch } from "../../src/model/reply-stream.ts";
import { soundReply } from "../../src/model/sound-reply.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  apiError,
  eventsOf,
  type Handler,
  type MessagesServer,
  type ServedEvent,
  type ServedReply,
  startMessagesServer,
  streamOf,
} from "../support/messages-server.ts";
import { ask, failureIn, replyIn, requestOf } from "./asking.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function serverWith(handler: Handler): Promise<MessagesServer> {
  const server = await startMessagesServer(handler);
  open.push(server);
  return server;
}

/** A server that answers one request, piece by piece, as the test wants it. */
async function dripping() {
  const asked = Promise.withResolvers<(piece: string) => void>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    asked.resolve((piece) => response.write(piece));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise };
}

async function failureOf(reply: ServedReply, options = {}) {
  const server = await serverWith(() => reply);
  const client = anthropicModel({ apiKey: "sk-ant-secret-key", baseURL: server.url, ...options });
  const failure = failureIn((await ask(client)).outcome);
  expect(failure.message).toContain(`127.0.0.1:${server.port}`);
  expect(failure.message).not.toContain("secret");
  return failure;
}

async function contentOf(events: readonly ServedEvent[]) {
  const server = await serverWith(() => ({ events }));
  return replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome).content;
}

/** Without the ends of blocks, and with that much of a call's input. */
function withoutEnds(events: readonly ServedEvent[], partial_json: string): ServedEvent[] {
  return events.flatMap((event) => {
    if (event.type === "content_block_stop") return [];
    const isInput = event.type === "content_block_delta" && event["index"] === 1;
    return isInput ? [{ ...event, delta: { type: "input_json_delta", partial_json } }] : [event];
  });
}

describe("what a server refuses", () => {
  const cases: readonly [string, ServedReply, ModelFailureKind, boolean, RegExp][] = [
    [
      "401 (fault 7)",
      apiError(401, "authentication_error", "invalid x-api-key"),
      "auth",
      false,
      /ANTHROPIC_API_KEY/,
    ],
    ["403 (fault 7)", apiError(403, "permission_error", "not for you"), "auth", false, /403.*not for you/],
    ["404", apiError(404, "not_found_error", "model: test-model"), "not_found", false, /"test-model"/],
    [
      "400 (fault 6)",
      apiError(400, "invalid_request_error", "messages.0: bad"),
      "invalid_request",
      false,
      /messages\.0: bad/,
    ],
    ["422", apiError(422, "invalid_request_error", "no"), "invalid_request", false, /422/],
    ["413 (fault 8)", apiError(413, "request_too_large", "big"), "too_large", false, /too large/],
    [
      "400 for a long prompt (fault 8)",
      apiError(400, "invalid_request_error", "prompt is too long: 2 > 1"),
      "too_large",
      false,
      /too long/,
    ],
    ["402", apiError(402, "billing_error", "pay"), "spend_limit", false, /spending limit/],
    ["429 (fault 1)", apiError(429, "rate_limit_error", "slow"), "rate_limit", true, /rate/],
    [
      "429 for a spent limit (fault 2)",
      apiError(429, "rate_limit_error", "no more", "enforced_spend_limit_reached"),
      "spend_limit",
      false,
      /spending limit/,
    ],
    [
      "400 for want of credit (fault 2)",
      apiError(400, "invalid_request_error", "Your credit balance is too low"),
      "spend_limit",
      false,
      /credit/,
    ],
    [
      "429 for usage limits (fault 2)",
      apiError(429, "rate_limit_error", "You have reached your specified API usage limits."),
      "spend_limit",
      false,
      /usage limits/,
    ],
    [
      "429 that no wait will mend, as the server says (fault 2)",
      { ...apiError(429, "rate_limit_error", "not today"), headers: { "x-should-retry": "false" } },
      "rate_limit",
      false,
      /not today/,
    ],
    ["529 (fault 3)", apiError(529, "overloaded_error", "busy"), "overloaded", true, /overloaded/],
    ["503 that says overloaded", apiError(503, "overloaded_error", "busy"), "overloaded", true, /overloaded/],
    ["500", apiError(500, "api_error", "oops"), "server", true, /500.*oops/],
    ["408", apiError(408, "timeout_error", "late"), "server", true, /408/],
  ];
  test.each(cases)("%s is said in one sentence", async (_name, reply, kind, again, words) => {
    const failure = await failureOf(reply);
    expect(failure).toMatchObject({ kind, status: reply.status });
    expect(failure.message).toMatch(words);
    expect(retryable(failure)).toBe(again);
  });

  test.each([500, 502, 503, 504])("a page of HTML with %i is never shown (fault 5)", async (status) => {
    const body = "<html><body><h1>Bad gateway</h1></body></html>";
    const failure = await failureOf({ status, body, headers: { "content-type": "text/html" } });
    expect(failure.kind).toBe("server");
    expect(failure.message).not.toMatch(/<|Bad gateway/);
    expect(retryable(failure)).toBe(true);
  });

  test("a key that the server repeats is not printed (fault 7)", async () => {
    const said = "wrong key sk-ant-secret-key, not sk-other-secret-1234";
    const { message } = await failureOf(apiError(401, "authentication_error", said));
    expect(message).toContain("[key]");
    // Whichever of the two is set (fault 7).
    expect(message).toContain("check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN");
  });

  test("a word that stands for a key takes no words out of a sentence", async () => {
    const refused = apiError(400, "invalid_request_error", "none of the messages fits");
    expect((await failureOf(refused, { apiKey: "none" })).message).toContain("none of the messages fits");
  });

  test("reads how long to wait in milliseconds, seconds and as a date of the server's clock (faults 1 and 28)", async () => {
    const clock = new FakeClock();
    const moment = (ms: number) => new Date(Date.parse(clock.date()) + ms).toUTCString();
    const yesterday = -24 * 3600_000;
    for (const [headers, ms] of [
      [{ "retry-after": "7" }, 7000],
      [{ "retry-after-ms": "250", "retry-after": "7" }, 250],
      [{ date: moment(0), "retry-after": moment(30_000) }, 30_000],
      // A moment is one of the server's clock: ours may have been set wrong, or back by a day (fault 28).
      [{ date: moment(yesterday), "retry-after": moment(yesterday + 30_000) }, 30_000],
      [{ "retry-after": "soon" }, undefined],
    ] as const) {
      const failure = await failureOf({ ...apiError(429, "rate_limit_error", "slow"), headers }, { clock });
      expect(failure.retryAfterMs).toBe(ms);
    }
  });
});

test("reads when a limit is reset: from its headers, or from the text of the error", async () => {
  const clock = new FakeClock();
  const now = Date.parse(clock.date());
  const iso = (ms: number) => new Date(now + ms).toISOString();
  const seconds = (ms: number) => String((now + ms) / 1000);
  const prefix = "anthropic-ratelimit";
  const all = { [`${prefix}-tokens-remaining`]: "12", [`${prefix}-tokens-reset`]: iso(90_000) };
  for (const [message, headers, ms] of [
    [
      "slow",
      { ...all, [`${prefix}-requests-remaining`]: "0", [`${prefix}-requests-reset`]: iso(60_000) },
      60_000,
    ],
    [
      "slow",
      { [`${prefix}-unified-status`]: "rejected", [`${prefix}-unified-reset`]: seconds(5_000_000) },
      5_000_000,
    ],
    [
      "slow",
      { [`${prefix}-unified-status`]: "allowed", [`${prefix}-unified-reset`]: seconds(5_000_000) },
      undefined,
    ],
    [`AI usage limit reached|${seconds(3_600_000)}`, {}, 3_600_000],
    [`AI usage limit reached|${seconds(-3_600_000)}`, {}, undefined],
    [
      "slow",
      { ...all, [`${prefix}-requests-remaining`]: "0", [`${prefix}-requests-reset`]: "tomorrow" },
      undefined,
    ],
    ["slow", { ...all, "retry-after": "7" }, 7_000],
  ] as const) {
    const failure = await failureOf({ ...apiError(429, "rate_limit_error", message), headers }, { clock });
    expect(failure.retryAfterMs).toBe(ms);
  }
});

describe("a stream that breaks", () => {
  const CALL: ServedReply = {
    text: "Let me look.",
    calls: [{ name: "Bash", input: { command: "rm -r build" } }],
  };

  test("an error event ends it with its own kind, what was said is kept (fault 11)", async () => {
    const events = eventsOf(CALL).slice(0, 4);
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    const failure = await failureOf({ events: [...events, error] });
    expect(failure).toMatchObject({ kind: "overloaded", partialText: "Let me look." });
  });

  test.each([
    ["in a text (fault 12)", '"content_block_stop"'],
    ["in the JSON of a call (fault 13)", "-r build"],
    ["between the call's end and the reply's", '"message_delta"'],
  ])("cut off %s it is no reply, whether the socket dies or the stream ends", async (_where, upTo) => {
    for (const ending of ["reset", "end"] as const) {
      const failure = await failureOf({ ...CALL, upTo, ending });
      expect(failure).toMatchObject({ partialText: "Let me look." });
      expect(failure.kind).toBe(ending === "reset" ? "connection" : "protocol");
      expect(retryable(failure)).toBe(true);
    }
  });

  test.each(["reset", "end", "stall"] as const)(
    "closed after the stop reason it is complete, with %s (fault 14, A22.22)",
    async (ending) => {
      const clock = new FakeClock();
      const server = await serverWith(() => ({ ...CALL, upTo: "event: message_stop", ending }));
      const { answer, heard } = listen(anthropicModel({ baseURL: server.url, clock, idleMs: 1000 }));
      // The stop reason comes in the same piece as the call.
      await heard("call-begins");
      if (ending === "stall") await clock.advance(1000);
      expect(replyIn(await answer).content).toMatchObject([{ type: "text" }, { name: "Bash" }]);
    },
  );

  test("an answer that is held open after its last event is not waited for", async () => {
    const clock = new FakeClock();
    const server = await serverWith(() => ({ ...CALL, ending: "stall" }));
    const { answer, heard } = listen(anthropicModel({ baseURL: server.url, clock }));
    await heard("call-begins");
    await clock.advance(20);
    replyIn(await answer);
    await clock.advance(1000);
    expect(await (await server.request(0)).ended).toBe("broken");
  });

  test("no answer, one byte, a stall and nothing but pings are all silence (faults 15, 16)", async () => {
    const silences: readonly [Handler, hears: boolean][] = [
      [() => new Promise(() => {}), false],
      [() => ({ bytes: [":"], ending: "stall" }), false],
      [() => ({ ...CALL, upTo: '"content_block_stop"', ending: "stall" }), true],
      [() => ({ ...CALL, upTo: "event: content_block_stop", ending: "pings", pingMs: 1 }), true],
      [() => ({ bytes: ['data: {"type":"ping"}\n\n'], ending: "pings", pingMs: 1 }), false],
    ];
    for (const [handler, hears] of silences) {
      const clock = new FakeClock();
      const server = await serverWith(handler);
      const { answer, heard, events } = listen(
        anthropicModel({ baseURL: server.url, clock, idleMs: 60_000 }),
      );
      await server.request(0);
      if (hears) await heard("text");
      for (let passed = 0; passed < 60_000; passed += 1000) await clock.advance(1000);
      const failure = failureIn(await answer);
      expect(failure).toMatchObject({ kind: "stalled", message: expect.stringContaining("60 s") });
      expect(events.filter(({ type }) => type === "waiting")).toMatchObject([{ ms: 40_000 }, { ms: 20_000 }]);
      expect(await (await server.request(0)).ended).toBe("broken");
    }
  });

  test.each([
    ["a comment every 10 s is silence", false, /60 s/],
    ["an event every 10 s is given up when the reply has no end", true, /5 minutes/],
  ] as const)("%s (fault 15)", async (_what, lively, words) => {
    const clock = new FakeClock();
    const drip = await dripping();
    const told: string[] = [];
    let more = () => {};
    const on = ({ type }: ModelEvent) => {
      told.push(type);
      if (type === "text") more();
    };
    const client = anthropicModel({ baseURL: drip.url, clock, idleMs: 60_000, totalMs: 300_000 });
    let over = false;
    const answer = client.ask(requestOf(), on, new AbortController().signal).then((outcome) => {
      over = true;
      return outcome;
    });
    const send = await drip.asked;
    // The message and its text begin.
    const [start, block, delta] = eventsOf({ text: "slow" });
    if (lively) for (const event of [start, block]) send(`data: ${JSON.stringify(event)}\n\n`);
    for (let passed = 0; passed < 600_000 && !over; passed += 10_000) {
      const heard = new Promise<void>((resolve) => {
        more = resolve;
      });
      send(lively ? `data: ${JSON.stringify(delta)}\n\n` : ":\n");
      if (lively) await heard;
      await clock.advance(10_000);
    }
    expect(failureIn(await answer)).toMatchObject({
      kind: "stalled",
      message: expect.stringMatching(words),
    });
    expect(clock.pending).toBe(0);
  });

  test("each event restarts the timer of silence", async () => {
    const clock = new FakeClock();
    const quiet: number[] = [];
    const watch = idleWatch(clock, {
      idleMs: 1000,
      onIdle: () => quiet.push(clock.now()),
      quietMs: 400,
      onQuiet: (left) => quiet.push(left),
    });
    await clock.advance(399);
    watch.received();
    await clock.advance(399);
    watch.received();
    expect(quiet).toEqual([]);
    await clock.advance(5000);
    // Told again and again, so that nobody looks at nothing for minutes.
    expect(quiet).toEqual([600, 200, 1798]);
    expect(clock.pending).toBe(0);
  });

  test("a machine that slept says so, and the request can be made again (fault 27)", async () => {
    const clock = new FakeClock();
    const server = await serverWith(() => ({ ...CALL, upTo: 40, ending: "stall" }));
    const answer = ask(anthropicModel({ baseURL: server.url, clock }));
    await server.request(0);
    await clock.sleep(2 * 3600_000);
    const failure = failureIn((await answer).outcome);
    expect(failure.message).toContain("asleep");
    expect(retryable(failure)).toBe(true);
  });

  test("calls an event that is not JSON a broken protocol (fault 17)", async () => {
    const failure = await failureOf({ bytes: ['event: message_start\ndata: {"type":\n\n'] });
    expect(failure).toMatchObject({ kind: "protocol", message: expect.stringContaining("JSON") });
  });

  test("a call whose JSON is broken stays, marked, and is never guessed at (fault 18)", async () => {
    for (const rawInput of ['{"command":"rm', "not json", '["a"]', '"text"', "null"]) {
      const server = await serverWith(() => ({ calls: [{ name: "Bash", input: null, rawInput }] }));
      const [block] = replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome).content;
      if (block?.type !== "tool_use") throw new Error("there is no call");
      expect(block.name).toBe("Bash");
      expect(invalidInput(block)).toBe(rawInput);
    }
  });

  test("a character that is cut off at the end leaves valid text (fault 20)", async () => {
    const bytes = streamOf({ text: "fox 🦊" });
    const at = bytes.indexOf(Buffer.from("🦊"));
    const failure = await failureOf({ bytes: [bytes.subarray(0, at + 2)] });
    expect(failure.kind).toBe("protocol");
    expect(failure.message.isWellFormed() && (failure.partialText ?? "").isWellFormed()).toBe(true);
  });

  test.each([
    ["twice", 0],
    ["too high", 2],
    ["missing", undefined],
  ])("a block whose index comes %s is one more block, if no other is open", async (_how, index) => {
    const events = eventsOf(CALL).map((event) => (event["index"] === 1 ? { ...event, index } : event));
    expect(await contentOf(events)).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "tool_use", input: { command: "rm -r build" } },
    ]);
  });

  test("an end of a block that was not sent, or sent twice, is made up for; so is a missing stop reason", async () => {
    const events = eventsOf(CALL);
    const content = await contentOf(events);
    expect(await contentOf(events.filter(({ type }) => type !== "content_block_stop"))).toEqual(content);
    expect(
      await contentOf(events.flatMap((one) => (one.type === "content_block_stop" ? [one, one] : [one]))),
    ).toEqual(content);
    for (const unsaid of [
      events.filter(({ type }) => type !== "message_delta"),
      eventsOf({ ...CALL, stopReason: null }),
    ]) {
      const server = await serverWith(() => ({ events: unsaid }));
      const reply = replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome);
      expect(reply).toMatchObject({ content, stopReason: "tool_use" });
    }
  });

  test("a start that is sent twice, thoughts in a text, text in a call and a wrong reason change nothing", async () => {
    const [start, block, ...rest] = eventsOf({ ...CALL, stopReason: "end_turn" });
    if (!start || !block) throw new Error("no events");
    const thought = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "thinking_delta", thinking: "Hm." },
    };
    const gap = { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "\n" } };
    const events = [start, start, block, thought, ...rest.slice(0, -3), gap, ...rest.slice(-3)];
    const server = await serverWith(() => ({ events }));
    const reply = replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome);
    expect(reply).toMatchObject({
      ...{ content: await contentOf(eventsOf({ ...CALL })), stopReason: "tool_use" },
    });
  });

  test("text that comes inside a call is a text of its own, and input inside a text is a broken protocol", async () => {
    const events = eventsOf(CALL);
    const said = { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "And then." } };
    expect(await contentOf([...events.slice(0, -3), said, ...events.slice(-3)])).toMatchObject([
      { type: "text", text: "Let me look." },
      { type: "tool_use", input: { command: "rm -r build" } },
      { type: "text", text: "And then." },
    ]);
    const input = {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: "{" },
    };
    const failure = await failureOf({ events: [...events.slice(0, 3), input, ...events.slice(3)] });
    expect(failure).toMatchObject({ kind: "protocol" });
  });

  test.each([
    ["a call whose JSON ends too early", (events: ServedEvent[]) => withoutEnds(events, '{"command"')],
    ["a call of which nothing came", (events: ServedEvent[]) => withoutEnds(events, "")],
  ])("%s is not made up for", async (_what, change) => {
    expect(await failureOf({ events: change(eventsOf(CALL)) })).toMatchObject({ kind: "protocol" });
  });

  test("a block that begins twice, a second message, and pieces of no block are broken protocols (fault 22)", async () => {
    const events = eventsOf(CALL);
    const without = (type: string) => events.filter((event) => event.type !== type);
    const [start] = events;
    if (!start) throw new Error("no events");
    const twice = [...events.slice(0, 2), ...events.slice(1)];
    const second = [...events.slice(0, 4), start, ...events.slice(4)];
    for (const broken of [twice, second, without("content_block_start")])
      expect(await failureOf({ events: broken })).toMatchObject({ kind: "protocol" });
  });

  test("what is unknown is kept or passed over, never fatal (fault 23)", async () => {
    const [start, ...rest] = eventsOf({ text: "ok", stopReason: "brand_new_reason" });
    const novelty = { type: "hologram", depth: 3 };
    const events = [
      ...(start ? [start] : []),
      { type: "brand_new_event", x: 1 },
      { type: "content_block_start", index: 0, content_block: novelty },
      { type: "content_block_delta", index: 0, delta: { type: "hologram_delta", light: 1 } },
      { type: "content_block_stop", index: 0 },
      ...rest.map((event) => ("index" in event ? { ...event, index: 1 } : event)),
    ];
    const server = await serverWith(() => ({ events }));
    const reply = replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome);
    expect(reply.stopReason).toBe("brand_new_reason");
    expect(reply.content).toMatchObject([novelty, { type: "text", text: "ok" }]);
  });

  test("nothing at all, said with or without an end, is a broken protocol (fault 24)", async () => {
    for (const reply of [{ bytes: [] }, { events: [] }, { text: "", stopReason: null }])
      expect(await failureOf(reply)).toMatchObject({ kind: "protocol" });
  });

  test("an empty text is no block of the reply", async () => {
    const server = await serverWith(() => ({ text: "" }));
    expect(replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome).content).toEqual([]);
  });

  test("one delta of more than 64 MB is cut off, not kept, and not asked for again (fault 25)", async () => {
    const mega = Buffer.alloc(1024 * 1024, "x");
    const bytes = ['event: content_block_delta\ndata: {"type":"', ...Array.from({ length: 70 }, () => mega)];
    const server = await serverWith(() => ({ bytes, ending: "stall" }));
    const failure = failureIn((await ask(anthropicModel({ baseURL: server.url }))).outcome);
    expect(failure).toMatchObject({ kind: "protocol", message: expect.stringContaining("64 MB") });
    expect(retryable(failure)).toBe(false);
    expect(await (await server.request(0)).ended).toBe("broken");
  });

  test("a process that is sent 64 MB in one delta does not grow by much more than that (fault 25)", {
    tags: ["long"],
  }, async () => {
    const mega = Buffer.alloc(1024 * 1024, "x");
    const bytes = ['event: content_block_delta\ndata: {"type":"', ...Array.from({ length: 80 }, () => mega)];
    const server = await serverWith(() => ({ bytes, ending: "stall" }));
    const child = fork(new URL("./memory-of-one-reply.ts", import.meta.url), [server.url]);
    const [{ outcome, grownMiB }] = await once(child, "message");
    expect(failureIn(outcome).message).toContain("64 MB");
    expect(grownMiB).toBeLessThan(256);
  });

  test("two calls with one id: the same call is one call, another one gets an id of its own (fault 26)", async () => {
    const ls = { name: "Bash", id: "toolu_1", input: { command: "ls" } };
    const calls = [ls, ls, { ...ls, input: { command: "pwd" } }, { ...ls, input: { command: "id" } }];
    const server = await serverWith(() => ({ text: "All.", calls }));
    const reply = replyIn((await ask(anthropicModel({ baseURL: server.url }))).outcome);
    const { content } = soundReply(reply, requestOf());
    expect(content).toMatchObject([
      { type: "text" },
      { id: "toolu_1", input: { command: "ls" } },
      { id: "toolu_1-2", input: { command: "pwd" } },
      { id: "toolu_1-3", input: { command: "id" } },
    ]);
  });

  test("names an answer other than a stream by its type", async () => {
    const failure = await failureOf({
      status: 200,
      body: "<html>",
      headers: { "content-type": "text/html; charset=utf-8" },
    });
    expect(failure).toMatchObject({ kind: "protocol", message: expect.stringContaining("text/html") });
  });
});

describe("a server that is not there", () => {
  test("refused, unknown and reset before any answer each say what it was (fault 9)", async () => {
    const closed = await startMessagesServer(() => ({}));
    await closed.close();
    const reset = await serverWith(() => ({ upTo: 0, ending: "reset" }));
    for (const [baseURL, words] of [
      [closed.url, /nothing listens/],
      ["http://no-such-host.invalid", /no such host|looked up/],
      [reset.url, /connection was (reset|closed)/],
    ] as const) {
      const failure = failureIn((await ask(anthropicModel({ baseURL }))).outcome);
      expect(failure).toMatchObject({ kind: "connection", message: expect.stringMatching(words) });
      expect(failure.message).toContain(new URL(baseURL).host);
      expect(retryable(failure)).toBe(true);
    }
  });

  test("what does not speak TLS, or shows a wrong certificate, is not tried again (fault 10)", async () => {
    const plain = await serverWith(() => ({}));
    const failure = failureIn(
      (await ask(anthropicModel({ baseURL: plain.url.replace("http", "https") }))).outcome,
    );
    expect(failure).toMatchObject({ kind: "connection", message: expect.stringContaining("certificate") });
    expect(retryable(failure)).toBe(false);
  });

  test("a wrong base URL is a sentence, not a throw", async () => {
    const failure = failureIn((await ask(anthropicModel({ baseURL: "localhost:11434" }))).outcome);
    expect(failure).toMatchObject({ kind: "invalid_request", message: expect.stringContaining("http://") });
  });
});

describe("cancellation", () => {
  test.each<[string, Handler]>([
    ["before the headers", () => new Promise(() => {})],
    [
      "in the middle of the stream",
      () => ({ text: "Once upon", upTo: '"content_block_stop"', ending: "stall" }),
    ],
  ])("%s the socket is closed and the outcome is `cancelled`", async (_when, handler) => {
    const server = await serverWith(handler);
    const abort = new AbortController();
    const answer = ask(anthropicModel({ baseURL: server.url }), {}, abort.signal);
    const { ended } = await server.request(0);
    abort.abort();
    expect(failureIn((await answer).outcome).kind).toBe("cancelled");
    expect(await ended).toBe("broken");
  });

  test("before it is sent, nothing is sent", async () => {
    const server = await serverWith(() => ({}));
    const outcome = await anthropicModel({ baseURL: server.url }).ask(
      requestOf(),
      () => {},
      AbortSignal.abort(),
    );
    expect(failureIn(outcome).kind).toBe("cancelled");
    expect(server.connections()).toBe(0);
  });
});

/** Asks, and tells when something of a kind has been heard. */
function listen(client: ModelClient) {
  const events: ModelEvent[] = [];
  const waiting = new Map<string, () => void>();
  const on = (event: ModelEvent) => {
    events.push(event);
    waiting.get(event.type)?.();
  };
  const answer = client.ask(requestOf(), on, new AbortController().signal);
  const heard = (type: ModelEvent["type"]) =>
    new Promise<void>((resolve) => {
      if (events.some((event) => event.type === type)) resolve();
      waiting.set(type, resolve);
    });
  return { answer, heard, events };
}
