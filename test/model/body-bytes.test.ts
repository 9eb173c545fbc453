import { expect, onTestFinished, test } from "vitest";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { decodeMessage, messageEncoder } from "../../src/model/conversation-transfer.ts";
import { bodyOf } from "../../src/model/messages-body.ts";
import { apiError, startMessagesServer } from "../support/messages-server.ts";

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

test("thoughts that the API refuses are left out of this and later requests of the conversation, and of no other one", async () => {
  const refusal = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to";
  const refused = apiError(400, "invalid_request_error", `${refusal} a different conversation.`);
  const server = await startMessagesServer(({ rawBody }) =>
    rawBody.includes('"signature":"old') && rawBody.includes("Summary.") ? refused : { text: "Done." },
  );
  onTestFinished(() => server.close());
  const model = anthropicModel({ baseURL: server.url });
  const thought = (signature: string) => ({ type: "thinking" as const, thinking: "", signature });
  const said = (signature: string): MessageParam => ({
    role: "assistant",
    content: [
      thought(signature),
      { type: "redacted_thinking", data: "x" },
      { type: "text", text: signature },
    ],
  });
  const user = (content: string): MessageParam => ({ role: "user", content });
  const encode = messageEncoder();
  const bytes = (messages: readonly MessageParam[]) =>
    messages.map((message) => decodeMessage(encode(message)));
  for (const as of [(all: MessageParam[]) => all, bytes]) {
    const begin = as([user("Go."), said("old-1"), user("And?"), said("old-2"), user("Then?")]);
    const changed = [user("Summary."), ...begin.slice(1)];
    const later = [...changed, ...as([said("new-1"), user("Last?")])];
    const other = structuredClone(begin);
    const signatures: unknown[] = [];
    for (const messages of [begin, changed, later, other]) {
      const from = server.requests.length;
      const outcome = await model.ask(requestWith(messages), () => {}, new AbortController().signal);
      expect(outcome.type).toBe("reply");
      const sent = server.requests
        .slice(from)
        .map(({ rawBody }) => [...rawBody.matchAll(/signature":"([^"]*)/g)]);
      signatures.push(sent.map((found) => found.map(([, signature]) => signature)));
    }
    expect(signatures).toEqual([
      [["old-1", "old-2"]],
      // Refused, and sent without them.
      [["old-1", "old-2"], []],
      [["new-1"]],
      [["old-1", "old-2"]],
    ]);
  }
});

test("a request that is refused for another reason, or without thoughts in it, is not sent again", async () => {
  for (const [message, signed] of [
    ["messages: at least one message is required", true],
    ["Invalid `signature` in `thinking` block", false],
  ] as const) {
    const server = await startMessagesServer(() => apiError(400, "invalid_request_error", message));
    onTestFinished(() => server.close());
    const thought = { type: "thinking" as const, thinking: "", signature: "s" };
    const content = signed ? [thought, { type: "text" as const, text: "Hm." }] : "Hm.";
    const messages: MessageParam[] = [
      { role: "user", content: "Go." },
      { role: "assistant", content },
      { role: "user", content: "Go." },
    ];
    const { ask } = anthropicModel({ baseURL: server.url });
    const outcome = await ask(requestWith(messages), () => {}, new AbortController().signal);
    expect(outcome).toMatchObject({ type: "failure", failure: { kind: "invalid_request" } });
    expect(server.requests.length).toBe(1);
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
