import { choice, chunks } from "../../support/chat-server.ts";
import {
  delta,
  end,
  type Failure,
  json,
  type Kind,
  messageStart,
  named,
  over,
  refusal,
  start,
  stop,
  text,
  typed,
} from "./kind.ts";

const TOO_LONG = {
  code: 400,
  message: "request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it",
  ...{ type: "exceed_context_size_error", n_prompt_tokens: 14_429, n_ctx: 8192 },
};
const OLDER = {
  code: 500,
  message:
    "the request exceeds the available context size. try increasing the context size or enable context shift",
  ...{ type: "exceed_context_size_error", n_prompt_tokens: 14_429, n_ctx: 8192 },
};
const failures: readonly Failure[] = [
  {
    answer: refusal(400, { error: TOO_LONG }),
    ...{ kind: "too_large", says: "request (14429 tokens) exceeds", window: 8192 },
  },
  {
    answer: refusal(500, { error: OLDER }),
    ...{ kind: "too_large", says: "exceeds the available context size", window: 8192 },
  },
  // Some versions refused with status 200.
  { answer: refusal(200, { error: TOO_LONG }), ...{ kind: "too_large", says: "14429", window: 8192 } },
  {
    answer: refusal(503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }),
    ...{ kind: "server", says: "Loading model" },
  },
  {
    answer: refusal(500, {
      error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" },
    }),
    ...{ kind: "server", says: "tools param requires --jinja flag" },
  },
];
const piece = (index: number, more: object) => choice({ tool_calls: [{ index, ...more }] });

export const llamaCpp: Kind = {
  name: "llama.cpp",
  from: [
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-task.cpp",
    "https://github.com/ggml-org/llama.cpp/pull/15780",
  ],
  apis: [
    {
      provider: "anthropic",
      // A call begins without an input, and all blocks end together at the end.
      calls: {
        bytes: [
          typed(
            messageStart(),
            start(0, { type: "text", text: "" }),
            delta(0, text("I look.")),
            start(1, { type: "tool_use", id: "x1", name: "Read" }),
            delta(1, json('{"path":')),
            delta(1, json('"a"}')),
            start(2, { type: "tool_use", id: "x2", name: "Read" }),
            delta(2, json('{"path":"b"}')),
            stop(0),
            stop(1),
            stop(2),
            end("tool_use"),
            over,
          ),
        ],
      },
      // After reasoning that it does not send, the first index is not 0.
      text: {
        bytes: [
          typed(
            messageStart(),
            start(1, { type: "text", text: "" }),
            delta(1, text("Done.")),
            stop(1),
            end("end_turn"),
            over,
          ),
        ],
      },
      failures: [
        ...failures,
        {
          answer: { bytes: [typed(messageStart()), named(["error", { error: TOO_LONG }])] },
          ...{ kind: "too_large", says: "14429", window: 8192 },
        },
        {
          answer: {
            bytes: [named(["error", { code: 500, message: "Compute error.", type: "server_error" }])],
          },
          ...{ kind: "server", says: "Compute error" },
        },
      ],
    },
    {
      provider: "openai",
      calls: chunks([
        choice({ role: "assistant", content: null }),
        choice({ reasoning_content: "Hm." }),
        choice({ content: "I look." }),
        piece(0, { id: "x1", type: "function", function: { name: "Read", arguments: "" } }),
        piece(0, { function: { arguments: '{"path":' } }),
        piece(0, { function: { arguments: '"a"}' } }),
        piece(1, { id: "x2", type: "function", function: { name: "Read", arguments: '{"path":"b"}' } }),
        choice({}, "tool_calls"),
        {
          choices: [],
          usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
          timings: { prompt_n: 12 },
        },
      ]),
      text: chunks([
        choice({ role: "assistant", content: null }),
        choice({ content: "Done." }),
        choice({}, "stop"),
      ]),
      failures: [
        ...failures,
        {
          answer: chunks([choice({ content: "Hi" }), { error: TOO_LONG }], "m", ""),
          ...{ kind: "too_large", says: "14429", window: 8192 },
        },
      ],
    },
  ],
};
