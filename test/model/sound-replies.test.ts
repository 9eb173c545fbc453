import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ContentBlock, Usage } from "../../src/mailbox/conversation.ts";
import type { ModelReply } from "../../src/model/client.ts";
import { soundReply } from "../../src/model/sound-reply.ts";
import { requestFaults } from "../faults/checks/conversation.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { supervised } from "../support/supervised.ts";
import { requestOf } from "./asking.ts";

const HALF = "\ud83d";

/** A whole session against a server that plays these replies in order. */
async function playing(replies: readonly ServedReply[]) {
  const server = await startMessagesServer(({ n }) => replies[n] ?? { text: "Done." });
  onTestFinished(() => server.close());
  const all = supervised("in-thread", [], {
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
    model: "test-model",
    files: { "a.txt": "hello" },
  });
  const warnings = () => all.events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { ...all, server, warnings };
}

describe("half characters and odd calls of a model (A22.22)", () => {
  test("are repaired before they are recorded: no later request has them", async () => {
    const { supervisor, server } = await playing([
      {
        text: `half ${HALF} of one`,
        calls: [
          { name: "Read", id: "odd id: 1", input: { file_path: `a${HALF}.txt` } },
          { name: `No Such${HALF}Tool`, id: "odd id: 1", input: { [`key${HALF}`]: 1 } },
          { name: "", id: "", input: {} },
        ],
      },
    ]);
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "Done." });
    expect(server.requests).toHaveLength(2);
    expect(server.requests.flatMap(({ rawBody }) => requestFaults(rawBody))).toEqual([]);
    const calls = server.requests[1]?.body.messages[1]?.content;
    expect(calls).toMatchObject([
      { type: "text", text: "half \ufffd of one" },
      { type: "tool_use", id: "odd_id__1", name: "Read", input: { file_path: "a\ufffd.txt" } },
      { type: "tool_use", id: "odd_id__1-2", name: "No_Such_Tool" },
      { type: "tool_use", id: "call_1", name: "unnamed" },
    ]);
  });

  test("any reply becomes one that an API accepts in later requests", { tags: ["long"] }, () => {
    const text = fc.string({ unit: "binary" });
    const block = fc.oneof(
      fc.record({ type: fc.constant("text"), text }),
      fc.record({ type: fc.constant("tool_use"), id: text, name: text, input: fc.dictionary(text, text) }),
    );
    fc.assert(
      fc.property(fc.array(block), (blocks) => {
        const { content } = soundReply(replyWith(blocks as ContentBlock[]), requestOf());
        const results = content.flatMap((one) =>
          one.type === "tool_use" ? [{ type: "tool_result", tool_use_id: one.id, content: "x" }] : [],
        );
        const messages = [
          { role: "user", content: "Hello" },
          { role: "assistant", content: [{ type: "text", text: "x" }, ...content] },
          { role: "user", content: [...results, { type: "text", text: "x" }] },
        ];
        expect(requestFaults(JSON.stringify({ messages }))).toEqual([]);
      }),
    );
  });

  test("a reply that is as it should be is passed on as it is", () => {
    const reply = replyWith([{ type: "text", text: "\u{1f600}", citations: null }]);
    expect(soundReply(reply, requestOf())).toEqual(reply);
  });
});

describe("odd figures of a server", () => {
  const figures = [-1e6, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 1.5];

  test.each(figures)("a count of %d is brought to what is possible", (figure) => {
    const reply = soundReply(replyWith([], { input_tokens: figure, output_tokens: figure }), requestOf());
    for (const count of Object.values(reply.usage)) {
      expect(Number.isSafeInteger(count)).toBe(true);
      expect(count).toBeGreaterThanOrEqual(0);
    }
    expect(reply.usage.input_tokens).toBeLessThan(10_000);
    expect(reply.usage.output_tokens).toBeLessThanOrEqual(requestOf().maxTokens);
    expect(reply.oddUsage).toBe(figure === 1.5 ? undefined : true);
  });

  test("end no session, cost nothing that was not used, and are said once", async () => {
    const odd = { input_tokens: -1e6, output_tokens: 1e300, cache_read_input_tokens: -5 };
    const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }], usage: odd };
    const { supervisor, warnings } = await playing([read, read, { text: "Done.", usage: odd }]);
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "Done.", turns: 3 });
    const { usage } = supervisor.usage();
    expect(usage.input_tokens).toBe(0);
    expect(usage.output_tokens).toBeLessThanOrEqual(3 * 16_000);
    expect(warnings().filter((message) => message.includes("token counts"))).toHaveLength(1);
  });
});

function replyWith(content: readonly ContentBlock[], usage: Partial<Usage> = {}): ModelReply {
  const none = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  return { content, stopReason: "end_turn", usage: { ...none, ...usage }, model: "test-model", apiMs: 0 };
}
