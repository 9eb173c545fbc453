import { choice, chunks } from "../../support/chat-server.ts";
import {
  delta,
  end,
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

const call = (index: number, id: string, path: string) => [
  start(index, { type: "tool_use", id, name: "Read", input: {} }),
  delta(index, json(JSON.stringify({ path }))),
  stop(index),
];
const whole = (index: number, id: string, path: string) => ({
  ...{ index, id, type: "function", function: { name: "Read", arguments: JSON.stringify({ path }) } },
});

export const ollama: Kind = {
  name: "Ollama",
  from: [
    "https://docs.ollama.com/api/anthropic-compatibility",
    "https://docs.ollama.com/api/openai-compatibility",
    "https://github.com/ollama/ollama/blob/main/anthropic/anthropic.go",
  ],
  apis: [
    {
      provider: "anthropic",
      // Thinking has no signature, and a call comes in one piece.
      calls: {
        bytes: [
          typed(
            messageStart(),
            start(0, { type: "thinking", thinking: "" }),
            delta(0, { type: "thinking_delta", thinking: "Hm." }),
            stop(0),
            start(1, { type: "text", text: "" }),
            delta(1, text("I look.")),
            stop(1),
            ...call(2, "call_1", "a"),
            ...call(3, "call_2", "b"),
            end("tool_use", { input_tokens: 12, output_tokens: 7 }),
            over,
          ),
        ],
      },
      text: {
        bytes: [
          typed(
            messageStart(),
            start(0, { type: "text", text: "" }),
            delta(0, text("Done.")),
            stop(0),
            end("end_turn"),
            over,
          ),
        ],
      },
      failures: [
        {
          answer: refusal(404, {
            ...{ type: "error", error: { type: "not_found_error", message: "model 'm' not found" } },
            request_id: "req_1",
          }),
          ...{ kind: "not_found", says: "model 'm' not found" },
        },
        {
          answer: refusal(400, {
            type: "error",
            error: {
              type: "invalid_request_error",
              message: "prompt too long; exceeded max context length by 1021 tokens",
            },
          }),
          ...{ kind: "too_large", says: "exceeded max context length by 1021 tokens" },
        },
        // Its native API and the proxies before it.
        {
          answer: refusal(400, { error: "registry.example/m does not support tools" }),
          ...{ kind: "invalid_request", says: "does not support tools" },
        },
      ],
    },
    {
      provider: "openai",
      calls: chunks([
        choice({ role: "assistant", content: "", reasoning: "Hm." }),
        choice({ role: "assistant", content: "I look." }),
        choice({ role: "assistant", content: "", tool_calls: [whole(0, "call_1", "a")] }),
        choice({ role: "assistant", content: "", tool_calls: [whole(1, "call_2", "b")] }),
        choice({ role: "assistant", content: "" }, "tool_calls"),
        { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } },
      ]),
      text: chunks([
        choice({ role: "assistant", content: "Done." }),
        choice({ role: "assistant", content: "" }, "stop"),
      ]),
      failures: [
        {
          answer: refusal(404, {
            error: { message: "model 'm' not found", type: "not_found_error", param: null, code: null },
          }),
          ...{ kind: "not_found", says: "model 'm' not found" },
        },
      ],
    },
  ],
};
