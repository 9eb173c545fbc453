import { expect, onTestFinished, test } from "vitest";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { decodeMessage, messageEncoder } from "../../src/model/conversation-transfer.ts";
import { bodyOf } from "../../src/model/messages-body.ts";
import { startMessagesServer } from "../support/messages-server.ts";

const text = '0123456789 größer 多 \\ " \n'.repeat(20_000);
const history: MessageParam[] = [
  { role: "user", content: "Read it." },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: text }] },
  { role: "assistant", content: [{ type: "text", text: "It is read." }] },
];
const requestWith = (messages: readonly MessageParam[]): ModelRequest => ({
  ...{ actor: MAIN, model: "m", system: ["You are."], maxTokens: 100, messages },
  tools: [{ name: "Read", description: 'says "messages":[]', input_schema: { type: "object" } }],
});

test("reasoning of a chat completions API is not sent to the Messages API, whose own thoughts are", async () => {
  const server = await startMessagesServer(() => ({ text: "Done." }));
  onTestFinished(() => server.close());
  const thought = (signature: string) => ({ type: "thinking" as const, thinking: "Hm.", signature });
  const call = { type: "tool_use" as const, id: "a", name: "Read", input: {} };
  const messages: MessageParam[] = [
    { role: "user", content: "Read it." },
    { role: "assistant", content: [thought("reasoning_content"), thought("EqQB"), call] },
    { role: "user", content: "And?" },
    { role: "assistant", content: [thought("reasoning")] },
    { role: "user", content: "And?" },
  ];
  const encode = messageEncoder();
  for (const sent of [messages, messages.map((message) => decodeMessage(encode(message)))]) {
    await anthropicModel({ baseURL: server.url }).ask(
      requestWith(sent),
      () => {},
      new AbortController().signal,
    );
    const { body } = await server.request(server.requests.length - 1);
    expect(body.messages.filter(({ role }) => role === "assistant")).toEqual([
      { role: "assistant", content: [thought("EqQB"), call] },
      { role: "assistant", content: [{ type: "text", text: "(no text)" }] },
    ]);
  }
});

test("messages that came as bytes are sent as what would be sent of their copies, byte for byte, with the length", async () => {
  const server = await startMessagesServer(() => ({ text: "Done." }));
  onTestFinished(() => server.close());
  const model = anthropicModel({ apiKey: "key", baseURL: server.url });
  const encode = messageEncoder();
  const shared = history.map((message) => decodeMessage(encode(message)));
  const rest = (words: string): MessageParam[] => [
    { role: "user", content: words },
    { role: "assistant", content: [{ type: "text", text: "Then?" }] },
    { role: "user", content: "Go on." },
  ];
  // Right after the history, and turns later: other messages carry the breakpoints.
  const tails = [rest("one").slice(0, 1), rest("two"), [], rest("three").slice(0, 1)];
  const { signal } = new AbortController();
  for (const tail of tails) {
    const outcome = await model.ask(requestWith([...shared, ...tail]), () => {}, signal);
    expect(outcome).toMatchObject({ type: "reply", reply: { stopReason: "end_turn" } });
  }
  for (const [n, tail] of tails.entries()) {
    const { rawBody, headers } = await server.request(n);
    const whole = JSON.stringify(bodyOf(requestWith([...history, ...tail]), "m"));
    expect(rawBody === whole, `request ${n}`).toBe(true);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(whole)),
    });
    expect(headers["transfer-encoding"]).toBeUndefined();
  }
});

test("a server that does not let it in is heard, and the next try is sent as a whole", async () => {
  const server = await startMessagesServer(({ n }) =>
    n === 0 ? { status: 529, body: "{}" } : { text: "Done." },
  );
  onTestFinished(() => server.close());
  const model = anthropicModel({ apiKey: "key", baseURL: server.url });
  const encode = messageEncoder();
  const sealed = history.map((message) => decodeMessage(encode(message)));
  const request = requestWith([...sealed, { role: "user", content: "Go." }]);
  const { signal } = new AbortController();
  expect(await model.ask(request, () => {}, signal)).toMatchObject({ type: "failure" });
  expect(await model.ask(request, () => {}, signal)).toMatchObject({ type: "reply" });
  expect(server.requests[1]?.rawBody === server.requests[0]?.rawBody).toBe(true);
});
