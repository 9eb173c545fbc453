import { choice, chunks } from "../../support/chat-server.ts";
import {
  delta,
  end,
  type Failure,
  json,
  type Kind,
  messageStart,
  over,
  refusal,
  start,
  stop,
  text,
  typed,
} from "./kind.ts";

const INNER =
  '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209303 tokens > 200000 maximum"}}';
const failures: readonly Failure[] = [
  {
    answer: refusal(400, {
      error: {
        message: `litellm.ContextWindowExceededError: AnthropicException - ${INNER}`,
        ...{ type: null, param: null, code: "400" },
      },
    }),
    ...{ kind: "too_large", says: "209303 tokens > 200000 maximum", window: 200_000 },
  },
  {
    answer: refusal(401, {
      error: {
        message: "Authentication Error, Invalid proxy server token passed.",
        ...{ type: "token_not_found_in_db", param: "key", code: "401" },
      },
    }),
    ...{ kind: "auth", says: "Invalid proxy server token passed" },
  },
  {
    answer: refusal(429, {
      error: {
        message: "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0",
        ...{ type: "budget_exceeded", param: null, code: "429" },
      },
    }),
    ...{ kind: "spend_limit", says: "Max budget: 1.0" },
  },
];
const last = { message: "litellm.InternalServerError: gone", type: "None", param: "None", code: "500" };

export const litellm: Kind = {
  name: "LiteLLM",
  from: [
    "https://docs.litellm.ai/docs/anthropic_unified/",
    "https://docs.litellm.ai/docs/exception_mapping",
    "https://github.com/OpenHands/OpenHands/issues/5350",
    "https://github.com/BerriAI/litellm/issues/34692",
    "https://github.com/BerriAI/litellm/issues/32357",
    "https://github.com/BerriAI/litellm/issues/11639",
    "https://github.com/BerriAI/litellm/pull/40002",
  ],
  // A virtual key goes into one header; a key in another one is checked as well.
  refuses: ({ headers }) =>
    headers.authorization !== undefined && headers["x-api-key"] !== undefined
      ? refusal(401, { error: { message: "two keys", type: "auth_error", param: null, code: "401" } })
      : null,
  apis: [
    {
      provider: "anthropic",
      // Translated from chunks of another provider: two starts, a text that stays empty, thoughts in a text, a wrong reason.
      calls: {
        bytes: [
          typed(
            messageStart({ input_tokens: 0, output_tokens: 0 }),
            messageStart({ input_tokens: 0, output_tokens: 0 }),
            start(0, { type: "text", text: "" }),
            stop(0),
            start(1, { type: "text", text: "" }),
            delta(1, { type: "thinking_delta", thinking: "Hm." }),
            delta(1, text("I look.")),
            stop(1),
            start(2, { type: "tool_use", id: "call_1", name: "Read", input: {} }),
            delta(2, json('{"path":"a"}')),
            stop(2),
            start(3, { type: "tool_use", id: "call_2", name: "Read", input: {} }),
            delta(3, json('{"path":"b"}')),
            stop(3),
            end("end_turn", { input_tokens: 12, output_tokens: 7 }),
            over,
          ),
        ],
      },
      text: {
        bytes: [
          typed(
            messageStart({ input_tokens: 0, output_tokens: 0 }),
            start(0, { type: "text", text: "" }),
            delta(0, text("Done.")),
            stop(0),
            end("end_turn", { input_tokens: 12, output_tokens: 7 }),
            over,
          ),
        ],
      },
      failures: [
        ...failures,
        {
          answer: { bytes: [typed(messageStart()), `data: ${JSON.stringify({ error: last })}\n\n`] },
          ...{ kind: "server", says: "litellm.InternalServerError: gone" },
        },
      ],
    },
    {
      provider: "openai",
      calls: chunks([
        choice({ role: "assistant", content: "I look." }),
        choice({
          tool_calls: [
            {
              ...{ index: 0, id: "call_1", type: "function" },
              function: { name: "Read", arguments: '{"path":"a"}' },
            },
          ],
        }),
        choice({
          tool_calls: [
            {
              ...{ index: 1, id: "call_2", type: "function" },
              function: { name: "Read", arguments: '{"path":"b"}' },
            },
          ],
        }),
        choice({}, "stop"),
      ]),
      text: chunks([choice({ role: "assistant", content: "Done." }), choice({}, "stop")]),
      failures: [
        ...failures,
        {
          answer: chunks([choice({ content: "Hi" }), { error: last }]),
          ...{ kind: "server", says: "litellm.InternalServerError: gone" },
        },
      ],
    },
  ],
};
