import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { type AnthropicOptions, anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelEvent, ModelRequest } from "../../src/model/client.ts";
import { apiError, type Handler, startMessagesServer } from "../support/messages-server.ts";

const HEADER = "thinking-display-updates-2026-08-18";
const asked: ModelRequest = {
  ...{ actor: MAIN, model: "claude-sonnet-5-5", system: [], maxTokens: 4_000 },
  messages: [{ role: "user", content: "Go." }],
  tools: [{ name: "Read", description: "", input_schema: { type: "object" } }],
};

async function served(handler: Handler, options: AnthropicOptions = {}) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  const model = anthropicModel({ baseURL: server.url, ...options });
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

/** The events of a reply with these blocks. */
function streamed(content: readonly object[]) {
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
  return {
    events: [
      { type: "message_start", message: { id: "m", model: "claude-sonnet-5-5", usage: {} } },
      ...events,
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    ],
  };
}

const told = (thinking: string) => ({ type: "thinking", thinking, signature: "s" });

test("what a model does between calls is for the user, in paragraphs, and goes back as it came", async () => {
  const content = [
    told(""),
    told("The token is never refreshed."),
    { type: "text", text: "Yes." },
    told("Editing it."),
    { type: "tool_use", id: "a", name: "Read", input: {} },
  ];
  const { ask, events: heard } = await served(() => streamed(content));
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

test("two texts after what a model does are apart as they are without it", async () => {
  const { ask, events } = await served(() =>
    streamed([told("Looking."), { type: "text", text: "One." }, { type: "text", text: "Two." }]),
  );
  await ask();
  expect(events.map((event) => ("text" in event ? event.text : ""))).toEqual([
    ...["Looking.", "\n\n", "One.", "\n", "Two."],
  ]);
});

const refused = () =>
  apiError(400, "invalid_request_error", "Unexpected value for the `anthropic-beta` header");

test("agents that are refused at the same time are all asked again without it", async () => {
  const { ask } = await served(({ headers }) =>
    headers["anthropic-beta"] === undefined ? { text: "Done." } : refused(),
  );
  const outcomes = await Promise.all([ask(), ask(), ask()]);
  expect(outcomes.map(({ type }) => type)).toEqual(["reply", "reply", "reply"]);
});

test("a server that refuses it and then a thought of the conversation gets neither", async () => {
  const { ask, sent } = await served(({ headers, rawBody }) => {
    if (headers["anthropic-beta"] !== undefined) return refused();
    if (!rawBody.includes('"signature"')) return { text: "Done." };
    return apiError(
      400,
      "invalid_request_error",
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });
  const messages: ModelRequest["messages"] = [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "s" },
        { type: "text", text: "Gone." },
      ],
    },
    { role: "user", content: "Go on." },
  ];
  expect((await ask({ messages })).type).toBe("reply");
  expect(sent()).toEqual([SHOWN, NOT, NOT]);
});

test("a request that is refused without it too says nothing about the server", async () => {
  let requests = 0;
  const { ask, sent } = await served(() => {
    requests += 1;
    const why = "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a";
    return requests > 2 ? { text: "Done." } : apiError(400, "invalid_request_error", why);
  });
  expect((await ask()).type).toBe("failure");
  expect((await ask()).type).toBe("reply");
  expect(sent()).toEqual([SHOWN, NOT, SHOWN]);
});

test("the user's own beta header stays", async () => {
  const headers = { "anthropic-beta": "context-1m-2025-08-07" };
  const { ask, sent } = await served(() => ({ text: "Done." }), { headers });
  await ask();
  await ask({ model: "claude-haiku-5-5" });
  expect(sent().map(([beta]) => beta)).toEqual([`context-1m-2025-08-07,${HEADER}`, "context-1m-2025-08-07"]);
});
