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

const TOO_LONG =
  "This model's maximum context length is 8192 tokens. However, you requested 22192 tokens (6192 in the messages, 16000 in the completion). Please reduce the length of the messages or completion.";
const NO_PARSER = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
const piece = (index: number, more: object) => choice({ tool_calls: [{ index, ...more }] });

export const vllm: Kind = {
  name: "vLLM",
  from: [
    "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/anthropic/api_router.py",
    "https://github.com/vllm-project/vllm/issues/20409",
    "https://github.com/vllm-project/vllm/issues/4667",
  ],
  apis: [
    {
      provider: "anthropic",
      // Counts are beside the message, and the stream ends with the mark of another API.
      calls: {
        bytes: [
          typed(
            { ...messageStart(null), ...{ usage: { input_tokens: 12, output_tokens: 0 } } },
            start(0, { type: "text", text: "" }),
            delta(0, text("I look.")),
            stop(0),
            start(1, { type: "tool_use", id: "chatcmpl-tool-1", name: "Read", input: {} }),
            delta(1, json('{"path": ')),
            delta(1, json('"a"}')),
            stop(1),
            start(2, { type: "tool_use", id: "chatcmpl-tool-2", name: "Read", input: {} }),
            delta(2, json('{"path": "b"}')),
            stop(2),
            end("tool_use", { input_tokens: 12, output_tokens: 7 }),
            over,
          ),
          "data: [DONE]\n\n",
        ],
      },
      text: {
        bytes: [
          typed(
            messageStart(null),
            start(0, { type: "text", text: "" }),
            delta(0, text("Done.")),
            stop(0),
            end("end_turn"),
            over,
          ),
          "data: [DONE]\n\n",
        ],
      },
      failures: [
        {
          answer: refusal(400, { type: "error", error: { type: "BadRequestError", message: TOO_LONG } }),
          ...{ kind: "too_large", says: "However, you requested 22192 tokens", window: 8192 },
        },
        {
          answer: {
            bytes: [
              typed(messageStart(null)),
              typed({ type: "error", ...{ error: { type: "internal_error", message: "engine is dead" } } }),
              "data: [DONE]\n\n",
            ],
          },
          ...{ kind: "server", says: "engine is dead" },
        },
      ],
    },
    {
      provider: "openai",
      calls: chunks([
        choice({ role: "assistant", content: "" }),
        choice({ content: "I look." }),
        piece(0, { id: "chatcmpl-tool-1", type: "function", function: { name: "Read" } }),
        piece(0, { function: { arguments: '{"path": "a"}' } }),
        piece(1, { id: "chatcmpl-tool-2", type: "function", function: { name: "Read" } }),
        piece(1, { function: { arguments: '{"path": "b"}' } }),
        choice({ content: "" }, "tool_calls"),
        { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } },
      ]),
      text: chunks([
        choice({ role: "assistant", content: "" }),
        choice({ content: "Done." }),
        choice({ content: "" }, "stop"),
      ]),
      failures: [
        {
          answer: refusal(400, {
            ...{ object: "error", message: TOO_LONG, type: "BadRequestError", param: null, code: 400 },
          }),
          ...{ kind: "too_large", says: "However, you requested 22192 tokens", window: 8192 },
        },
        {
          answer: refusal(400, {
            error: { message: NO_PARSER, type: "BadRequestError", param: null, code: 400 },
          }),
          ...{ kind: "invalid_request", says: NO_PARSER },
        },
        {
          answer: refusal(422, {
            detail: [{ type: "missing", loc: ["body", "model"], msg: "Field required" }],
          }),
          ...{ kind: "invalid_request", says: "Field required" },
        },
        {
          answer: refusal(401, { error: "Unauthorized" }),
          ...{ kind: "auth", says: "Unauthorized" },
        },
      ],
    },
  ],
};
