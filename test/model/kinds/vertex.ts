import { choice, chunks } from "../../support/chat-server.ts";
import { eventsOf } from "../../support/messages-server.ts";
import { type Failure, type Kind, refusal } from "./kind.ts";

const body = (code: number, message: string, status: string) => ({ error: { code, message, status } });
const TOO_LONG = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).";
const failures: readonly Failure[] = [
  {
    answer: refusal(400, [body(400, TOO_LONG, "INVALID_ARGUMENT")]),
    ...{ kind: "too_large", says: "The input token count (1200293)", window: 1_048_576 },
  },
  {
    answer: refusal(429, [body(429, "Resource exhausted, please try again later.", "RESOURCE_EXHAUSTED")]),
    ...{ kind: "rate_limit", says: "Resource exhausted" },
  },
  {
    answer: refusal(404, body(404, "Publisher Model `m` was not found.", "NOT_FOUND")),
    ...{ kind: "not_found", says: "Publisher Model `m` was not found" },
  },
  {
    answer: refusal(401, body(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED")),
    ...{ kind: "auth", says: "invalid authentication credentials" },
  },
];
const call = (id: string, path: string) => ({
  ...{ index: 0, id, type: "function", function: { name: "Read", arguments: JSON.stringify({ path }) } },
});

/** A gateway to Vertex: Claude as the Messages API, Gemini as chat completions. */
export const vertex: Kind = {
  name: "a gateway to Vertex",
  from: [
    "https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude",
    "https://ai.google.dev/gemini-api/docs/openai",
    "https://github.com/google-gemini/gemini-cli/issues/12098",
    "https://github.com/567-labs/instructor/issues/1849",
    "https://github.com/yym68686/uni-api/issues/41",
    "https://github.com/QuantumNous/new-api/pull/2701",
    "https://github.com/cg-dot/vertexai-cf-workers/pull/21",
  ],
  // Some do not know caching.
  refuses: ({ rawBody }) =>
    rawBody.includes('"cache_control"')
      ? refusal(400, {
          type: "error",
          error: {
            type: "invalid_request_error",
            message: "system.0.cache_control: Extra inputs are not permitted",
          },
        })
      : null,
  apis: [
    {
      provider: "anthropic",
      // `rawPredict` does not stream, whatever the body says.
      calls: {
        status: 200,
        body: JSON.stringify({
          ...{ id: "msg_vrtx_1", type: "message", role: "assistant", model: "m" },
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "toolu_vrtx_1", name: "Read", input: { path: "a" } },
            { type: "tool_use", id: "toolu_vrtx_2", name: "Read", input: { path: "b" } },
          ],
          ...{ stop_reason: "tool_use", usage: { input_tokens: 12, output_tokens: 7 } },
        }),
      },
      text: { events: [{ type: "ping" }, ...eventsOf({ text: "Done." })] },
      failures,
    },
    {
      provider: "openai",
      // Every call has the index 0.
      calls: chunks([
        choice({ role: "assistant", content: "I look." }),
        choice({
          role: "assistant",
          tool_calls: [call("function-call-1", "a"), call("function-call-2", "b")],
        }),
        choice({ role: "assistant" }, "stop"),
      ]),
      text: chunks([choice({ role: "assistant", content: "Done." }, "stop")]),
      failures,
    },
  ],
};
