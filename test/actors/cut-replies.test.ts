import { describe, expect, onTestFinished, test } from "vitest";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { supervised } from "../support/supervised.ts";

/** A whole session against a server that plays these replies in order, the last one for ever. */
async function playing(...replies: readonly ServedReply[]) {
  const server = await startMessagesServer(({ n }) => replies[Math.min(n, replies.length - 1)] ?? {});
  onTestFinished(() => server.close());
  const all = supervised("in-thread", [], {
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
    ...{ model: "test-model", files: { "a.txt": "hello" } },
  });
  return { ...all, server };
}

const cutCall: ServedReply = {
  text: "I write it.",
  calls: [
    { name: "Read", input: { file_path: "a.txt" } },
    { name: "Write", input: {}, rawInput: `{"file_path":"b.txt","content":"${"x".repeat(60_000)}` },
  ],
  stopReason: "max_tokens",
  usage: { output_tokens: 16_000 },
};

describe("a call that is cut by max_tokens", () => {
  test("is answered with the limit and how to write in parts; a stub of it is kept, and the others are answered as ever", async () => {
    const { supervisor, server } = await playing(cutCall, { text: "Done." });
    expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "Done." });
    const second = server.requests[1];
    expect(second?.rawBody.length).toBeLessThan((server.requests[0]?.rawBody.length ?? 0) + 3_000);
    const [read, write] = second?.body.messages.at(-1)?.content ?? [];
    expect(JSON.stringify(read)).toContain("must be absolute");
    expect(write).toMatchObject({ is_error: true });
    expect(JSON.stringify(write)).toMatch(/cut at 16,000 tokens.*Write.*Edit/);
    expect(JSON.stringify(write)).not.toContain("not valid JSON");
  });

  test("ends the run after two in a row, with a sentence", async () => {
    const { supervisor, server } = await playing(cutCall);
    const { summary } = await supervisor.prompt("go");
    expect(server.requests).toHaveLength(2);
    expect(summary.status).toBe("partial");
    expect(summary.reason).toMatch(/^Two replies in a row were cut at 16,000 tokens inside a call/);
  });

  test("two that are not in a row end nothing", { tags: ["long"] }, async () => {
    const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }] };
    const { supervisor, server } = await playing(cutCall, read, cutCall, { text: "Done." });
    expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "Done." });
    expect(server.requests).toHaveLength(4);
  });
});

describe("text that is cut by max_tokens", () => {
  const cut = (text: string): ServedReply => ({
    text,
    stopReason: "max_tokens",
    usage: { output_tokens: 10 },
  });

  test("is continued in the same turn, as one text", async () => {
    const { supervisor, server } = await playing(cut("Once upon a ti"), cut("me there w"), {
      text: "as a fox.",
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "Once upon a time there was a fox.", turns: 1 });
    expect(summary.usage.output_tokens).toBe(40);
    const [, second] = server.requests;
    expect(second?.body.messages.slice(1)).toMatchObject([
      { role: "assistant", content: [{ type: "text", text: "Once upon a ti" }] },
      { role: "user" },
    ]);
    expect(JSON.stringify(second?.body.messages.at(-1))).toContain("cut at its limit");
  });

  test("makes the conversation no larger than it is: nothing is compacted for its sake", async () => {
    const usage = { input_tokens: 100_000, output_tokens: 10 };
    const { supervisor, server } = await playing(
      { ...cut("I look at th"), usage },
      { text: "at.", usage, calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
      { text: "Done." },
    );
    expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "Done." });
    expect(server.requests.filter(({ path }) => path === "/v1/messages")).toHaveLength(3);
  });

  test("is continued into calls, which run", async () => {
    const { supervisor, server } = await playing(
      cut("I look at th"),
      { text: "at file.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
      { text: "It says hello." },
    );
    expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "done", turns: 2 });
    const after = server.requests[2]?.body.messages;
    expect(after?.[1]?.content).toMatchObject([
      { type: "text", text: "I look at that file." },
      { name: "Read" },
    ]);
    expect(after).toHaveLength(3);
  });

  test("is continued up to a limit, then the run ends as partial", async () => {
    const { supervisor, server } = await playing(cut("more and "));
    const { summary } = await supervisor.prompt("go");
    expect(server.requests).toHaveLength(4);
    expect(summary).toMatchObject({ status: "partial", text: "more and more and more and more and" });
  });

  test("is what was said where the continuation fails", async () => {
    const { supervisor } = await playing(cut("As far as th"), {
      status: 400,
      body: '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}',
    });
    expect((await supervisor.prompt("go")).summary).toMatchObject({
      status: "partial",
      text: "As far as th",
    });
  });
});

test("a turn that the server pauses continues with what it had said", async () => {
  const { supervisor, server } = await playing(
    { text: "I search.", stopReason: "pause_turn" },
    { text: "I found it." },
  );
  const { summary } = await supervisor.prompt("go");
  expect(summary).toMatchObject({ status: "done", turns: 1, text: "I search.\nI found it." });
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
    role: "assistant",
    content: [{ type: "text", text: "I search." }],
  });
});
