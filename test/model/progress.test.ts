import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelEvent, ModelRequest } from "../../src/model/client.ts";
import { apiError, type Handler, startMessagesServer } from "../support/messages-server.ts";

const HEADER = "thinking-display-updates-2026-08-18";
const asked: ModelRequest = {
  ...{ actor: MAIN, model: "claude-sonnet-5-5", system: [], maxTokens: 4_000 },
  messages: [{ role: "user", content: "Go." }],
  tools: [{ name: "Read", description: "", input_schema: { type: "object" } }],
};

async function served(handler: Handler) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  const model = anthropicModel({ baseURL: server.url });
  const events: ModelEvent[] = [];
  const ask = (request: Partial<ModelRequest> = {}) =>
    model.ask({ ...asked, ...request }, (event) => events.push(event), new AbortController().signal);
  /** What each request said of thoughts, in its header and in its body. */
  const sent = () =>
    server.requests.map(({ headers, rawBody }) => [
      headers["anthropic-beta"] ?? null,
      (JSON.parse(rawBody) as { thinking?: unknown }).thinking ?? null,
    ]);
  return { ask, events, sent };
}

const SHOWN = [HEADER, { type: "adaptive", display: "updates" }];
const NOT = [null, null];

test.each<[string, Partial<ModelRequest>, unknown]>([
  ["Sonnet 5.5", {}, SHOWN],
  ["Opus 5.5", { model: "claude-opus-5-5-20260915" }, SHOWN],
  ["Fable 5.2", { model: "claude-fable-5-2" }, SHOWN],
  ["a later Sonnet", { model: "claude-sonnet-6" }, SHOWN],
  ["Sonnet 5, which writes text", { model: "claude-sonnet-5" }, NOT],
  ["Haiku 5.5", { model: "claude-haiku-5-5" }, NOT],
  ["another model", { model: "qwen3-coder" }, NOT],
  ["a request without tools", { tools: [] }, NOT],
  [
    "a request for all thoughts",
    { thinkingTokens: 2_000 },
    [null, { type: "adaptive", display: "summarized" }],
  ],
])("what a model does between calls is asked for where it is a thought: %s", async (_, request, expected) => {
  const { ask, sent } = await served(() => ({ text: "Done." }));
  expect((await ask(request)).type).toBe("reply");
  expect(sent()).toEqual([expected]);
});

test("what a model does between calls is for the user, in paragraphs, and goes back as it came", async () => {
  const told = (thinking: string) => ({ type: "thinking", thinking, signature: "s" });
  const content = [
    told(""),
    told("The token is never refreshed."),
    { type: "text", text: "Yes." },
    told("Editing it."),
    { type: "tool_use", id: "a", name: "Read", input: {} },
  ];
  const events = content.flatMap((block, index) => {
    const { thinking, text } = block as { thinking?: string; text?: string };
    const empty =
      thinking !== undefined
        ? { ...block, thinking: "" }
        : text !== undefined
          ? { ...block, text: "" }
          : block;
    const delta =
      thinking !== undefined
        ? { type: "thinking_delta", thinking }
        : { type: "text_delta", text: text ?? "" };
    return [
      { type: "content_block_start", index, content_block: empty },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
  });
  const { ask, events: heard } = await served(() => ({
    events: [
      { type: "message_start", message: { id: "m", model: "claude-sonnet-5-5", usage: {} } },
      ...events,
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    ],
  }));
  expect(await ask()).toMatchObject({ type: "reply", reply: { content } });
  const forUser = true;
  expect(heard).toEqual([
    { type: "thinking", text: "The token is never refreshed.", forUser },
    { type: "thinking", text: "\n\n", forUser },
    { type: "text", text: "Yes." },
    { type: "thinking", text: "\n\nEditing it.", forUser },
    { type: "call-begins", tool: "Read" },
  ]);
});

test.each([
  "anthropic-beta: thinking-display-updates-2026-08-18 is not supported",
  "thinking.adaptive.display: Input should be 'omitted' or 'summarized'",
  "Bad Request",
])(
  "a server that refuses to show it is asked again without it, and is no longer asked for it: %s",
  async (why) => {
    const { ask, sent } = await served(({ headers }) =>
      headers["anthropic-beta"] === undefined
        ? { text: "Done." }
        : apiError(400, "invalid_request_error", why),
    );
    expect((await ask()).type).toBe("reply");
    expect((await ask()).type).toBe("reply");
    expect(sent()).toEqual([SHOWN, NOT, NOT]);
  },
);

test("a request that is refused for another reason is not sent again", async () => {
  const { ask, sent } = await served(() =>
    apiError(400, "invalid_request_error", "messages: at least one message is required"),
  );
  expect((await ask()).type).toBe("failure");
  expect(sent()).toEqual([SHOWN]);
});
