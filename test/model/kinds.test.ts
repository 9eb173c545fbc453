import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { overflowOf } from "../../src/context/compaction/bounds.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { openaiModel } from "../../src/model/openai.ts";
import { soundOutcome } from "../../src/model/sound-reply.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { ask, failureIn, replyIn, requestOf } from "./asking.ts";
import { bedrock } from "./kinds/bedrock.ts";
import type { Api, Kind } from "./kinds/kind.ts";
import { litellm } from "./kinds/litellm.ts";
import { llamaCpp } from "./kinds/llama-cpp.ts";
import { ollama } from "./kinds/ollama.ts";
import { proxy } from "./kinds/proxy.ts";
import { vertex } from "./kinds/vertex.ts";
import { vllm } from "./kinds/vllm.ts";

const KINDS = [ollama, llamaCpp, vllm, litellm, bedrock, vertex, proxy];
const CASES = KINDS.flatMap((kind) => kind.apis.map((api) => [kind.name, api.provider, kind, api] as const));
const docs = readFileSync(new URL("../../docs/models.md", import.meta.url), "utf8");

async function asked(kind: Kind, { provider }: Api, answer: ServedReply) {
  const server = await startMessagesServer((request) => kind.refuses?.(request) ?? answer);
  onTestFinished(() => server.close());
  const credential = provider === "anthropic" ? { authToken: "token-12345" } : { apiKey: "token-12345" };
  const client =
    provider === "anthropic"
      ? anthropicModel({ baseURL: server.url, promptCaching: kind !== vertex, ...credential })
      : openaiModel({ baseURL: `${server.url}/v1`, ...credential });
  return (await ask(client)).outcome;
}

describe.each(CASES)("%s as a server of the %s provider", (_name, _provider, kind, api) => {
  test("replies with text and calls that are whole", async () => {
    const outcome = soundOutcome(await asked(kind, api, api.calls), requestOf());
    const { content, stopReason } = replyIn(outcome);
    expect(stopReason).toBe("tool_use");
    expect(content.filter(({ type }) => type !== "thinking")).toMatchObject([
      { type: "text", text: "I look." },
      { type: "tool_use", name: "Read", input: { path: "a" } },
      { type: "tool_use", name: "Read", input: { path: "b" } },
    ]);
  });

  test("replies with text", async () => {
    const { content, stopReason } = replyIn(await asked(kind, api, api.text));
    expect({ content, stopReason }).toMatchObject({
      ...{ content: [{ type: "text", text: "Done." }], stopReason: "end_turn" },
    });
  });

  test("has its reasons shown, and what is too long is compacted for its window", async () => {
    for (const { answer, kind: failureKind, says, window } of api.failures) {
      const outcome = await asked(kind, api, answer);
      const failure = failureIn(outcome);
      expect(failure, says).toMatchObject({ kind: failureKind, message: expect.stringContaining(says) });
      expect(overflowOf(outcome), says).toEqual(
        failureKind === "too_large" ? { window: window ?? null } : null,
      );
    }
  });
});

test("a gateway to Vertex that refuses marks of caching says so, and gets none if they are switched off", async () => {
  const server = await startMessagesServer((request) => vertex.refuses?.(request) ?? { text: "Done." });
  onTestFinished(() => server.close());
  const refused = await ask(anthropicModel({ baseURL: server.url }));
  expect(failureIn(refused.outcome).message).toContain("cache_control: Extra inputs");
  replyIn((await ask(anthropicModel({ baseURL: server.url, promptCaching: false }))).outcome);
});

test("each sort of server is listed in docs/models.md, with where its behaviour is described", () => {
  for (const { name, from } of KINDS) {
    expect(docs, name).toContain(name);
    for (const url of from) expect(docs, url).toContain(url);
  }
});

test.each([
  "prompt is too long: 215000 tokens > 200000 maximum",
  "input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length",
  "The number of tokens to keep from the initial prompt is greater than the context length",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "Prompt contains 240000 tokens, too large for model with 128000 maximum context length",
  "Your request exceeded model token limit: 262144 (requested: 300000)",
  "Range of input length should be [1, 129024]",
  "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
  "Please reduce the length of the messages or completion.",
])("a server that says %j is understood to say that it is too long", async (message) => {
  const answer = { status: 400, body: JSON.stringify({ error: { message } }) };
  expect(failureIn(await asked(ollama, { ...vllm.apis[1], provider: "openai" } as Api, answer)).kind).toBe(
    "too_large",
  );
});

test.each([
  "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens",
  "messages.3.content: tool_use ids must be unique",
  "temperature: range: 0..1",
])("a server that says %j is not", async (message) => {
  const answer = { status: 400, body: JSON.stringify({ error: { message } }) };
  expect(failureIn(await asked(ollama, { ...vllm.apis[1], provider: "openai" } as Api, answer)).kind).toBe(
    "invalid_request",
  );
});
