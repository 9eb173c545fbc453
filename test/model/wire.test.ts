import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { type MessagesServer, startMessagesServer } from "../support/messages-server.ts";
import { ask, replyIn } from "./asking.ts";

const TOOL = {
  name: "Read",
  description: "Reads a file.",
  input_schema: {
    type: "object" as const,
    properties: { path: { type: "string", enum: ["a", "b"] } },
    required: ["path"],
  },
};

describe("what is sent", () => {
  let server: MessagesServer;
  beforeAll(async () => {
    server = await startMessagesServer(() => ({ text: "Hi." }));
  });
  afterAll(() => server.close());

  async function sent(changes: Parameters<typeof ask>[1], options = {}) {
    const n = server.requests.length;
    const client = anthropicModel({ apiKey: "key-1", baseURL: server.url, ...options });
    replyIn((await ask(client, changes)).outcome);
    return server.request(n);
  }

  test("the whole request has the shape of the Messages API (A1.4), breakpoints on system, the last two messages of the user, and never on tools (A22.19)", async () => {
    const { method, path, body } = await sent({
      model: "some-model",
      system: ["One.", "Two."],
      tools: [{ ...TOOL, side: "agent" } as typeof TOOL],
      messages: [
        { role: "user", content: "First" },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }] },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "t1", content: "A" },
            { type: "text", text: "And?" },
          ],
        },
      ],
    });
    expect({ method, path }).toEqual({ method: "POST", path: "/v1/messages" });
    expect(body).toEqual({
      model: "some-model",
      max_tokens: 16_000,
      system: [
        { type: "text", text: "One." },
        { type: "text", text: "Two.", cache_control: { type: "ephemeral" } },
      ],
      tools: [TOOL],
      messages: [
        { role: "user", content: [{ type: "text", text: "First", cache_control: { type: "ephemeral" } }] },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: { path: "a" } }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "t1",
              content: "A",
              cache_control: { type: "ephemeral" },
            },
            { type: "text", text: "And?", cache_control: { type: "ephemeral" } },
          ],
        },
      ],
      stream: true,
    });
  });

  test("a message of plain text gets its breakpoint on one text block, and the caller's message is not touched (A22.19)", async () => {
    const messages = [Object.freeze({ role: "user" as const, content: "Hello" })];
    const { body } = await sent({ messages });
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }] },
    ]);
    expect(messages).toEqual([{ role: "user", content: "Hello" }]);
  });

  test("without tools the tools stay in the request and may not be chosen; with none there is no choice either", async () => {
    expect((await sent({ tools: [TOOL], withoutTools: true })).body).toMatchObject({
      tools: [TOOL],
      tool_choice: { type: "none" },
    });
    const { body } = await sent({ tools: [], withoutTools: true });
    expect(body).not.toHaveProperty("tools");
    expect(body).not.toHaveProperty("tool_choice");
    // Another choice of tools makes the API forget the messages that it has cached.
    const asked = await sent({ tools: [TOOL], withoutTools: true, wordsAlone: true });
    expect(asked.body).toMatchObject({ tools: [TOOL] });
    expect(asked.body).not.toHaveProperty("tool_choice");
  });

  test("nothing is marked for a cache if that is switched off", async () => {
    const { rawBody, body } = await sent({ tools: [TOOL] }, { promptCaching: false });
    expect(rawBody).not.toContain("cache_control");
    expect(body).toMatchObject({
      system: [{ type: "text", text: "You are a test." }],
      messages: [{ role: "user", content: "Hello" }],
    });
  });

  test("thinking is asked for only when wanted, as the model takes it (A1.15)", async () => {
    expect((await sent({})).body).not.toHaveProperty("thinking");
    expect((await sent({ thinkingTokens: 0 })).body).not.toHaveProperty("thinking");
    const adaptive = { type: "adaptive", display: "summarized" };
    const budget = { type: "enabled", budget_tokens: 4000 };
    for (const [model, thinking] of [
      ["opus", adaptive],
      ["claude-sonnet-5", adaptive],
      ["claude-opus-4-7", adaptive],
      ["claude-opus-4-5-20251101", budget],
      ["claude-sonnet-4-20250514", budget],
      ["qwen3-coder", budget],
    ] as const)
      expect((await sent({ model, thinkingTokens: 4000 })).body["thinking"], model).toEqual(thinking);
  });

  test("aliases become full ids, and the caller may say which; other names pass (A1.5, A1.7, A22.17)", async () => {
    expect((await sent({ model: "sonnet" })).body.model).toBe("claude-sonnet-5-5");
    expect((await sent({ model: "Opus" }, { aliases: { opus: "mine" } })).body.model).toBe("mine");
    expect((await sent({ model: "claude-opus-4-7" })).body.model).toBe("claude-opus-4-7");
    expect((await sent({ model: "opus[1m]" }, { aliases: { opus: "mine[1m]" } })).body.model).toBe("mine");
  });

  test("headers of the user go out with every request, and theirs win", async () => {
    const headers = { "cf-aig-authorization": "Bearer abc", authorization: "Basic xyz" };
    expect((await sent({}, { authToken: "token-1", headers })).headers).toMatchObject({
      ...{ ...headers, "x-api-key": "key-1", "anthropic-version": "2023-06-01" },
    });
  });

  test("a key goes out as a key, a token as a token, and a server that wants neither gets neither", async () => {
    const key = await sent({});
    expect(key.headers).toMatchObject({ "x-api-key": "key-1" });
    expect(key.headers).not.toHaveProperty("authorization");
    expect((await sent({}, { authToken: "token-1" })).headers).toMatchObject({
      ...{ authorization: "Bearer token-1", "x-api-key": "key-1" },
    });
    const token = await sent({}, { apiKey: undefined, authToken: "token-1" });
    expect(token.headers.authorization).toBe("Bearer token-1");
    expect(token.headers).not.toHaveProperty("x-api-key");
    const none = await sent({}, { apiKey: undefined });
    expect(none.headers).not.toHaveProperty("authorization");
    expect(none.headers).not.toHaveProperty("x-api-key");
  });

  test("a base URL with slashes, a path or /v1 at its end leads to <base>/v1/messages (A1.5)", async () => {
    for (const [end, path] of [
      ["/", "/v1/messages"],
      ["/v1", "/v1/messages"],
      ["/v1/", "/v1/messages"],
      ["/v1/messages", "/v1/messages"],
      ["/anthropic//", "/anthropic/v1/messages"],
      ["/anthropic/v1", "/anthropic/v1/messages"],
    ])
      expect((await sent({}, { baseURL: server.url + end })).path, end).toBe(path);
  });

  test("requests that follow one another share connections: whole replies leave nothing unread", async () => {
    const alone = await startMessagesServer(() => ({ text: "Hi.", chunks: 5 }));
    const client = anthropicModel({ baseURL: alone.url });
    for (let n = 0; n < 10; n++) {
      replyIn((await ask(client)).outcome);
      expect(await (await alone.request(n)).ended).toBe("complete");
    }
    // The pool may open a second one while it still ends the first answer, and never a third.
    expect(alone.connections()).toBeLessThanOrEqual(2);
    await alone.close();
  });
});
