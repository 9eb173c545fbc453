import fc from "fast-check";
import { expect, test } from "vitest";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import {
  ConversationReceiver,
  ConversationSender,
  decodeMessage,
  jsonBytesOf,
  messageEncoder,
} from "../../src/model/conversation-transfer.ts";

const said: MessageParam[] = [
  { role: "user", content: "Wie groß ist es? 多大？ \u{1f40b} \ud800" },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: { file_path: "/x" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: '"quoted"\n\t\\' }] },
];
const tools = [{ name: "Read", description: "Reads.", input_schema: { type: "object" as const } }];
const requestWith = (messages: readonly MessageParam[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ actor: MAIN, model: "m", system: ["You are."], tools, maxTokens: 100, messages, ...more },
});

test("a message that came as bytes reads as what it was made of, as an object, as JSON and as a clone", () => {
  const encode = messageEncoder();
  const there = said.map((message) => decodeMessage(encode(message)));
  expect(there).toEqual(said);
  expect(JSON.stringify(there)).toBe(JSON.stringify(said));
  expect(structuredClone(there)).toEqual(said);
  expect(there.map((message) => Buffer.from(jsonBytesOf(message) ?? []).toString())).toEqual(
    said.map((message) => JSON.stringify(message)),
  );
});

test("conversations with the same messages share their bytes: forks have the start of their parent once", () => {
  const encode = messageEncoder();
  const lanes = [new ConversationSender(encode), new ConversationSender(encode)];
  const [first, second] = lanes.map((lane) =>
    lane.next(requestWith(said)).add.map(({ json }) => json.buffer),
  );
  expect(first).toHaveLength(said.length);
  expect(first?.every((buffer, at) => buffer === second?.[at] && buffer instanceof SharedArrayBuffer)).toBe(
    true,
  );
});

test("a turn hands over only what is new, and the system prompt and the tools once", () => {
  const lane = new ConversationSender(messageEncoder());
  expect(lane.next(requestWith(said.slice(0, 1)))).toMatchObject({
    head: { tools },
    keep: 0,
    add: [{ role: "user" }],
  });
  expect(lane.next(requestWith(said))).toMatchObject({ head: null, keep: 1, add: [{}, {}] });
  expect(lane.next(requestWith(said))).toMatchObject({ head: null, keep: 3, add: [] });
  expect(lane.next(requestWith(said, { system: ["You are.", "A skill."] })).head).not.toBeNull();
  lane.reset();
  expect(lane.next(requestWith(said))).toMatchObject({ head: { tools }, keep: 0, add: [{}, {}, {}] });
});

test("whatever a conversation becomes between requests, the gateway gets exactly that (compaction, steering, a new gateway)", () => {
  const message = fc.record({
    role: fc.constantFrom("user" as const, "assistant" as const),
    content: fc.string(),
  });
  const step = fc.oneof(
    fc.record({ type: fc.constant("append" as const), messages: fc.array(message, { maxLength: 3 }) }),
    fc.record({ type: fc.constant("replace" as const), at: fc.nat(8), message }),
    fc.record({ type: fc.constant("cut" as const), to: fc.nat(8) }),
    fc.record({ type: fc.constant("gateway" as const) }),
    fc.record({ type: fc.constant("head" as const), system: fc.array(fc.string(), { maxLength: 2 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const lane = new ConversationSender(messageEncoder());
      let gateway = new ConversationReceiver();
      let messages: MessageParam[] = [];
      let system: readonly string[] = ["You are."];
      for (const one of steps) {
        if (one.type === "append") messages = [...messages, ...one.messages];
        if (one.type === "replace") messages = messages.map((old, at) => (at === one.at ? one.message : old));
        if (one.type === "cut") messages = messages.slice(0, one.to);
        if (one.type === "head") system = one.system;
        if (one.type === "gateway") {
          gateway = new ConversationReceiver();
          lane.reset();
        }
        const request = requestWith(messages, { system });
        expect(gateway.take(structuredClone(lane.next(request)))).toEqual(request);
      }
    }),
    { seed: 17, numRuns: 300 },
  );
});

test("a request that begins with what is not here is refused, and does not go out without its beginning", () => {
  const lane = new ConversationSender(messageEncoder());
  lane.next(requestWith(said));
  const gateway = new ConversationReceiver();
  expect(() => gateway.take(lane.next(requestWith(said)))).toThrow("no beginning");
});
