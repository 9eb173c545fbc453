import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelEvent } from "../../src/model/client.ts";
import { ReplyAssembler } from "../../src/model/reply.ts";
import { sseParser } from "../../src/model/reply-stream.ts";
import {
  eventsOf,
  type Handler,
  type MessagesServer,
  type ServedReply,
  startMessagesServer,
  streamOf,
} from "../support/messages-server.ts";
import { ask, replyIn, requestOf } from "./asking.ts";

let server: MessagesServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function modelOf(handler: Handler) {
  server = await startMessagesServer(handler);
  return anthropicModel({ baseURL: server.url });
}

const RICH: ServedReply = {
  thinking: "Let me see… 思考",
  text: "Grüße, 世界 🦊!\r\nTwo lines.",
  calls: [
    { name: "Read", input: { path: "ä/文.ts", lines: [1, 2] } },
    { name: "Grep", input: { pattern: "a\\nb" } },
  ],
  usage: { input_tokens: 7, cache_read_input_tokens: 5, output_tokens: 9 },
  chunks: 4,
};

const RICH_CONTENT = [
  { type: "thinking", thinking: RICH.thinking, signature: "signature-0" },
  { type: "text", text: RICH.text },
  { type: "tool_use", id: "toolu_0_0", name: "Read", input: { path: "ä/文.ts", lines: [1, 2] } },
  { type: "tool_use", id: "toolu_0_1", name: "Grep", input: { pattern: "a\\nb" } },
];

describe("a streamed reply", () => {
  test("thinking, text and calls come whole, in order, thinking with its signature (A1.14)", async () => {
    const { outcome, events } = await ask(await modelOf(() => RICH));
    const reply = replyIn(outcome);
    expect(reply.content).toEqual(RICH_CONTENT);
    expect(reply.stopReason).toBe("tool_use");
    expect(reply.model).toBe("test-model");
    expect(textIn(events)).toBe(RICH.text);
    expect(events.filter((event) => event.type === "call-begins").map(({ tool }) => tool)).toEqual([
      "Read",
      "Grep",
    ]);
  });

  test("usage is what was counted last, fields that are left out are 0", async () => {
    const reply = replyIn((await ask(await modelOf(() => RICH))).outcome);
    expect(reply.usage).toEqual({
      input_tokens: 7,
      output_tokens: 9,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 5,
    });
  });

  test("text and the beginning of calls are streamed before the reply is over (A1.14)", async () => {
    const events = eventsOf({ text: "Now.", calls: [{ name: "Bash", input: { command: "ls" } }] });
    const until = events.findIndex((event) => event.type === "message_delta");
    const model = await modelOf(() => ({ events: events.slice(0, until), ending: "stall" }));
    const abort = new AbortController();
    const seen: string[] = [];
    const outcome = await model.ask(
      requestOf(),
      (event) => {
        seen.push(event.type);
        if (event.type === "call-begins") abort.abort();
      },
      abort.signal,
    );
    expect(seen).toEqual(["text", "call-begins"]);
    expect(outcome).toMatchObject({ type: "failure", failure: { kind: "cancelled" } });
  });

  test("several texts are streamed as they are in the reply, a line each", async () => {
    const events = eventsOf({ text: "one" });
    const second = [
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "two" } },
      { type: "content_block_stop", index: 1 },
    ];
    events.splice(4, 0, ...second);
    const { outcome, events: told } = await ask(await modelOf(() => ({ events })));
    expect(textIn(told)).toBe("one\ntwo");
    expect(replyIn(outcome).content).toMatchObject([{ text: "one" }, { text: "two" }]);
  });

  test("a call without input has an empty one, whatever way the server says so", async () => {
    const model = await modelOf(({ n }) => ({
      calls: [{ name: "Now", input: {}, rawInput: n === 0 ? "" : "{}" }],
    }));
    for (let n = 0; n < 2; n++)
      expect(replyIn((await ask(model)).outcome).content).toMatchObject([{ type: "tool_use", input: {} }]);
  });

  test("any cut of the bytes, whatever the line ends, gives the same reply (faults 19, 21)", () => {
    const streams = (["\n", "\r\n", "\r"] as const).map((lineEnd) => streamOf({ ...RICH, lineEnd }));
    const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), streamOf(RICH)]);
    fc.assert(
      fc.property(
        fc.constantFrom(...streams, bom),
        fc.array(fc.nat(bom.length), { maxLength: 40 }),
        (stream, cuts) => {
          expect(assembled(stream, cuts)).toEqual({ content: RICH_CONTENT, said: RICH.text });
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });

  test("byte by byte, through a real socket, it is the same reply (fault 19)", async () => {
    const bytes = [...streamOf({ text: "é世🦊", lineEnd: "\r\n" })].map((byte) => Uint8Array.of(byte));
    expect(replyIn((await ask(await modelOf(() => ({ bytes })))).outcome).content).toMatchObject([
      { text: "é世🦊" },
    ]);
  });

  test("comments, pings, unnamed events and several data lines are read as the standard says", () => {
    const stream = [
      ": a comment",
      "",
      "event: ping",
      'data: {"type":"ping"}',
      "",
      'data: {"type":',
      'data: "message_start"}',
      "",
      "id: 7",
      "retry: 1",
      "",
      "data",
      "",
      "event: half",
      "data: never ended",
    ].join("\n");
    expect(sseParser().push(Buffer.from(stream))).toEqual([
      { event: "ping", data: '{"type":"ping"}' },
      { event: null, data: '{"type":\n"message_start"}' },
      { event: null, data: "" },
    ]);
  });
});

function assembled(stream: Uint8Array, cuts: readonly number[]) {
  const sse = sseParser();
  const reply = new ReplyAssembler(() => {});
  const ends = [...cuts, stream.length].sort((a, b) => a - b);
  let from = 0;
  for (const to of ends) {
    for (const frame of sse.push(stream.subarray(from, to)))
      expect(reply.take(JSON.parse(frame.data))).toBeUndefined();
    from = to;
  }
  const finished = reply.finish();
  return { content: finished.type === "finished" ? finished.content : finished, said: reply.partialText };
}

function textIn(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}
