import { choice, chunks } from "../../support/chat-server.ts";
import type { ServedReply } from "../../support/messages-server.ts";
import {
  delta,
  end,
  type Failure,
  json,
  type Kind,
  messageStart,
  refusal,
  start,
  text,
  typed,
} from "./kind.ts";

const plain = (status: number, body: string, type = "text/plain"): ServedReply => ({
  ...{ status, body, headers: { "content-type": type } },
});
const failures: readonly Failure[] = [
  {
    answer: plain(503, "upstream connect error or disconnect/reset before headers. reset reason: overflow"),
    ...{ kind: "server", says: "upstream connect error or disconnect/reset before headers" },
  },
  {
    answer: plain(502, "<html><head><title>502 Bad Gateway</title></head></html>", "text/html"),
    ...{ kind: "server", says: "(502);" },
  },
  {
    answer: refusal(400, { detail: "no such route" }),
    ...{ kind: "invalid_request", says: "no such route" },
  },
  {
    answer: refusal(413, { message: "request entity too large" }),
    ...{ kind: "too_large", says: "request entity too large" },
  },
];

/** The worst that a proxy can do to a stream without making it ambiguous, and the errors of proxies that know no API. */
export const proxy: Kind = {
  name: "a proxy",
  from: ["https://github.com/anthropics/claude-code/issues/7044"],
  apis: [
    {
      provider: "anthropic",
      calls: {
        bytes: [
          typed(
            messageStart(),
            start(0, { type: "text", text: "" }),
            delta(0, text("I look.")),
            start(0, { type: "tool_use", id: "c1", name: "Read", input: {} }),
            delta(0, json('{"path":"a"}')),
            start(0, { type: "tool_use", id: "c2", name: "Read", input: {} }),
            delta(0, json('{"path":"b"}')),
            end(null, { output_tokens: 7 }),
            { type: "message_stop" },
          ),
        ],
      },
      text: {
        status: 200,
        body: JSON.stringify({
          ...{ type: "message", role: "assistant", content: [{ type: "text", text: "Done." }] },
          ...{ stop_reason: "end_turn" },
        }),
      },
      failures,
    },
    {
      provider: "openai",
      calls: {
        status: 200,
        body: JSON.stringify({
          choices: [
            {
              message: {
                ...{ role: "assistant", content: "I look." },
                tool_calls: ["a", "b"].map((path) => ({
                  ...{ id: path, function: { name: "Read", arguments: JSON.stringify({ path }) } },
                })),
              },
              finish_reason: "tool_calls",
            },
          ],
        }),
      },
      text: chunks([choice({ content: "Done." })]),
      failures,
    },
  ],
};
