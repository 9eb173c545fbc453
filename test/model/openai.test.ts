import { describe, expect, onTestFinished, test } from "vitest";
import { openaiModel } from "../../src/model/openai.ts";
import { type ChatReply, chatStream, choice, chunks } from "../support/chat-server.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { ask, failureIn, replyIn } from "./asking.ts";

const READ = {
  name: "Read",
  description: "Reads a file.",
  input_schema: { type: "object" as const, properties: { path: { type: "string" } } },
};

async function served(reply: ServedReply, options = {}) {
  const server = await startMessagesServer(() => reply);
  onTestFinished(() => server.close());
  return { server, client: openaiModel({ apiKey: "key-12345", baseURL: `${server.url}/v1`, ...options }) };
}

const asked = async (reply: ServedReply) => ask((await served(reply)).client, { tools: [READ] });
const replied = async (reply: ChatReply) => replyIn((await asked(chatStream(reply))).outcome);

describe("what is sent to a chat completions API", () => {
  test("is system, tools, calls and results in its own shape, with the key as a bearer token only", async () => {
    const { server, client } = await served(chatStream({ text: "Hi." }));
    await ask(client, {
      ...{ model: "qwen", system: ["One.", "Two."], tools: [READ], effort: "max", thinkingTokens: 4000 },
      messages: [
        { role: "user", content: "First" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "reasoning_content" },
            { type: "thinking", thinking: "Of another API.", signature: "Ab12" },
            { type: "text", text: "I look." },
            { type: "tool_use", id: "t1", name: "Read", input: { path: "a" } },
            { type: "tool_use", id: "t2", name: "Read", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "A" },
            {
              ...{ type: "tool_result", tool_use_id: "t2", is_error: true },
              content: [{ type: "text", text: "no path" }],
            },
            { type: "text", text: "And?" },
          ],
        },
      ],
    });
    const { path, headers, body } = await server.request(0);
    expect(path).toBe("/v1/chat/completions");
    expect(headers.authorization).toBe("Bearer key-12345");
    expect(headers).not.toHaveProperty("x-api-key");
    expect(body).toEqual({
      ...{ model: "qwen", max_tokens: 16_000, stream: true, stream_options: { include_usage: true } },
      reasoning_effort: "xhigh",
      tools: [
        {
          type: "function",
          function: { name: "Read", description: "Reads a file.", parameters: READ.input_schema },
        },
      ],
      messages: [
        { role: "system", content: "One.\n\nTwo." },
        { role: "user", content: "First" },
        {
          ...{ role: "assistant", content: "I look.", reasoning_content: "Hm." },
          tool_calls: [
            { id: "t1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
            { id: "t2", type: "function", function: { name: "Read", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "t1", content: "A" },
        { role: "tool", tool_call_id: "t2", content: "Error: no path" },
        { role: "user", content: "And?" },
      ],
    });
  });

  test("shows an image of a result in a message after it", async () => {
    const { server, client } = await served(chatStream({ text: "Hi." }));
    const source = { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" };
    await ask(client, {
      messages: [
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }],
        },
      ],
    });
    expect((await server.request(0)).body.messages.slice(1)).toEqual([
      { role: "assistant", content: null, tool_calls: [expect.objectContaining({ id: "t1" })] },
      { role: "tool", tool_call_id: "t1", content: "The next message shows it." },
      {
        role: "user",
        content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
      },
    ]);
  });

  test("keeps the tools if none may be chosen, sends no key without one, and never asks for a search", async () => {
    const { server, client } = await served(chatStream({ text: "Hi." }), { apiKey: undefined });
    await ask(client, { tools: [READ], withoutTools: true });
    const { body, headers } = await server.request(0);
    expect(body).toMatchObject({ tools: [{ type: "function" }], tool_choice: "none" });
    expect(headers).not.toHaveProperty("authorization");
    expect(failureIn((await ask(client, { webSearch: {} })).outcome).message).toContain(
      "troupe.webSearch.provider",
    );
    expect(server.requests).toHaveLength(1);
  });
});

describe("what a chat completions API replies", () => {
  test("becomes text, reasoning, calls and counts", async () => {
    const { outcome, events } = await asked(
      chatStream({
        ...{ text: "I look.", reasoning: { field: "reasoning_content", text: "Hm." } },
        calls: [
          { name: "Read", input: { path: "a" } },
          { name: "Read", input: { path: "b" } },
        ],
        usage: { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 60 } },
      }),
    );
    expect(replyIn(outcome)).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hm.", signature: "reasoning_content" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "call_0", name: "Read", input: { path: "a" } },
        { type: "tool_use", id: "call_1", name: "Read", input: { path: "b" } },
      ],
      stopReason: "tool_use",
      usage: { input_tokens: 40, cache_read_input_tokens: 60, output_tokens: 20 },
      model: "local",
    });
    expect(events.map((event) => ("text" in event ? `${event.type}: ${event.text}` : event.type))).toEqual([
      "thinking: Hm.",
      "text: I lo",
      "text: ok.",
      "call-begins",
      "call-begins",
    ]);
  });

  test.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
  ])("ends for %s as %s", async (finish, stopReason) => {
    expect(await replied({ text: "Hi.", finish })).toMatchObject({ stopReason });
  });

  test("has a stop reason if only [DONE] says that it is over, or it ends with stop after calls", async () => {
    expect(await replied({ text: "Hi.", finish: null })).toMatchObject({ stopReason: "end_turn" });
    const calls = [{ name: "Read", input: { path: "a" } }];
    expect(await replied({ calls, finish: "stop" })).toMatchObject({ stopReason: "tool_use" });
    expect(await replied({ calls, finish: null })).toMatchObject({ stopReason: "tool_use" });
  });

  test("is not a reply if it is cut: without an end, or inside a call", async () => {
    const cut = await asked(chunks([choice({ content: "Hi" })], "local", ""));
    expect(failureIn(cut.outcome)).toMatchObject({ kind: "protocol", partialText: "Hi" });
    const calls = [{ name: "Read", input: {}, rawInput: '{"path":' }];
    const inside = await asked(chatStream({ calls, finish: null }));
    expect(failureIn(inside.outcome)).toMatchObject({ kind: "protocol" });
  });

  const call = (id: string | undefined, index: number | undefined, path: string) => ({
    ...{ id, index, type: "function", function: { name: "Read", arguments: JSON.stringify({ path }) } },
  });
  test.each([
    ["the same index for all", [call("x", 0, "a"), call("y", 0, "b")]],
    ["no index", [call("x", undefined, "a"), call("y", undefined, "b")]],
    ["neither index nor ID", [call(undefined, undefined, "a"), call(undefined, undefined, "b")]],
    ["indices that start elsewhere", [call("x", 3, "a"), call("y", 7, "b")]],
  ])("has all its calls with %s", async (_, calls) => {
    for (const stream of [
      chunks(calls.map((one) => choice({ tool_calls: [one] }))),
      chunks([choice({ tool_calls: calls }), choice({}, "tool_calls")]),
    ])
      expect(replyIn((await asked(stream)).outcome).content).toMatchObject([
        { type: "tool_use", input: { path: "a" } },
        { type: "tool_use", input: { path: "b" } },
      ]);
  });

  test("may come whole, as JSON, with an input that is not encoded", async () => {
    const message = {
      ...{ role: "assistant", content: "I look." },
      tool_calls: [{ id: "x", type: "function", function: { name: "Read", arguments: { path: "a" } } }],
    };
    const body = JSON.stringify({
      ...{ object: "chat.completion", model: "local", choices: [{ message, finish_reason: "tool_calls" }] },
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    });
    const { outcome, events } = await asked({ status: 200, body });
    expect(replyIn(outcome)).toMatchObject({
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "x", input: { path: "a" } },
      ],
      stopReason: "tool_use",
      usage: { input_tokens: 9, output_tokens: 3 },
    });
    expect(events).toContainEqual({ type: "text", text: "I look." });
  });
});

describe("what goes wrong at a chat completions API", () => {
  const refused = async (status: number, error: object) =>
    failureIn((await asked({ status, body: JSON.stringify({ error }) })).outcome);

  test("is said with the variables of this API", async () => {
    expect(await refused(401, { message: "Incorrect API key provided: key-12345." })).toMatchObject({
      kind: "auth",
      message: expect.stringMatching(/provided: \[key\]; check OPENAI_API_KEY, and/),
    });
    expect(await refused(404, { message: 'model "x" not found' })).toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("OPENAI_BASE_URL"),
    });
    expect(
      await refused(429, { message: "You exceeded your current quota.", code: "insufficient_quota" }),
    ).toMatchObject({ kind: "spend_limit" });
    expect(
      await refused(400, { message: "Too large for it.", code: "context_length_exceeded" }),
    ).toMatchObject({ kind: "too_large" });
    const nowhere = openaiModel({ baseURL: "http://127.0.0.1:9" });
    expect(failureIn((await ask(nowhere)).outcome).message).toContain("OPENAI_BASE_URL");
  });

  test("may be said in the stream, or with status 200", async () => {
    const error = { message: "the slot is gone", type: "server_error" };
    const inStream = await asked(chunks([choice({ content: "Hi" }), { error }]));
    expect(failureIn(inStream.outcome)).toMatchObject({
      kind: "server",
      partialText: "Hi",
      message: expect.stringContaining("the slot is gone"),
    });
    const whole = await asked({ status: 200, body: JSON.stringify({ error }) });
    expect(failureIn(whole.outcome).message).toContain("the slot is gone");
  });
});
