import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { eventsOf, startMessagesServer } from "../support/messages-server.ts";
import { shippedHosts, supervised } from "../support/supervised.ts";

const echo = defineTool({
  runsIn: "caller",
  name: "Echo",
  description: "Gives back what it is given.",
  inputSchema: z.object({ word: z.string() }),
  permissionLevel: "read",
  call: async ({ word }) => word,
});

const use = (word: string) => ({ name: "Echo", input: { word } });

/** The blocks of a type in one message. */
function blocks<T extends string>(message: MessageParam | undefined, type: T) {
  if (!message || typeof message.content === "string") return [];
  return message.content.filter((block) => block.type === type);
}

function resultTexts(request: ModelRequest | undefined): unknown[] {
  return blocks(request?.messages.at(-1), "tool_result").map((block) =>
    block.type === "tool_result" ? block.content : undefined,
  );
}

describe.each(shippedHosts)("one agent, %s", (host) => {
  test("continues while there are calls and ends with the first reply without (A1.2)", async () => {
    const { supervisor, model } = supervised(
      host,
      [{ calls: [use("one")] }, { text: "so far", calls: [use("two")] }, { text: "the end" }],
      { tools: [echo] },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "the end", turns: 3 });
    expect(model.requests).toHaveLength(3);
    expect(summary.receipts.tools).toEqual({ Echo: 2 });
  });

  test("ends after one request if the first reply has no calls (A1.2, A1.3)", async () => {
    const { supervisor, model } = supervised(host, [{ text: "hello" }]);
    expect((await supervisor.prompt("hi")).summary).toMatchObject({
      status: "done",
      text: "hello",
      turns: 1,
    });
    expect(model.requests).toHaveLength(1);
  });

  test("roles alternate, results travel in a user message with the ids of their calls, in their order (A1.8 to A1.10, A1.13)", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const late = defineTool({
      runsIn: "caller",
      name: "Late",
      description: "Ends after the others.",
      inputSchema: z.object({ wait: z.boolean(), name: z.string() }),
      permissionLevel: "read",
      call: async ({ wait, name }) => {
        if (wait) await gate;
        else release();
        return name;
      },
    });
    const call = (name: string, wait: boolean) => ({
      name: "Late",
      input: { name, wait },
      id: `use_${name}`,
    });
    const { supervisor, model } = supervised(
      host,
      [
        { text: "three at once", calls: [call("a", true), call("b", true), call("c", false)] },
        { text: "done" },
      ],
      { tools: [late] },
    );
    await supervisor.prompt("go");
    const { messages = [] } = model.requests[1] ?? {};
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(blocks(messages[2], "tool_result")).toEqual([
      { type: "tool_result", tool_use_id: "use_a", content: "a" },
      { type: "tool_result", tool_use_id: "use_b", content: "b" },
      { type: "tool_result", tool_use_id: "use_c", content: "c" },
    ]);
  });

  test("a failing, unknown or badly called tool is a result the model can act on (A1.18, A5.2, A5.3)", async () => {
    const broken = defineTool({
      runsIn: "caller",
      name: "Broken",
      description: "Throws.",
      inputSchema: z.object({}),
      permissionLevel: "read",
      call: async () => {
        throw new Error("out of ink");
      },
    });
    const { supervisor, model } = supervised(
      host,
      [
        {
          calls: [
            { name: "Nonsense", input: {} },
            { name: "Echo", input: { word: 7 } },
            { name: "Echo", input: {} },
            { name: "Broken", input: {} },
            use("fine"),
          ],
        },
        { text: "understood" },
      ],
      { tools: [echo, broken] },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(blocks(model.requests[1]?.messages.at(-1), "tool_result")).toMatchObject([
      { is_error: true, content: expect.stringMatching(/no tool named "Nonsense".*Read/s) },
      { is_error: true, content: expect.stringMatching(/word: expected string, got number/) },
      { is_error: true, content: expect.stringMatching(/word: required/) },
      { is_error: true, content: expect.stringContaining("out of ink") },
      { content: "fine" },
    ]);
  });

  test.each(["constructor", "__proto__", "toString"])(
    "a call of a tool named %s is an unknown tool like any other",
    async (name) => {
      const { supervisor, model } = supervised(
        host,
        [{ calls: [{ name, input: {} }, use("fine")] }, { text: "ok" }],
        {
          tools: [echo],
        },
      );
      const { summary } = await supervisor.prompt("go");
      expect(summary).toMatchObject({ status: "done", receipts: { tools: { Echo: 1 } } });
      expect(resultTexts(model.requests[1])).toEqual([
        expect.stringContaining("There is no tool named"),
        "fine",
      ]);
    },
  );

  test("refuses and lists a tool that is not allowed, and continues (A6.9)", async () => {
    const hammer = defineTool({
      runsIn: "caller",
      name: "Hammer",
      description: "Breaks things.",
      inputSchema: z.object({}),
      permissionLevel: "write",
      call: async () => "broken",
    });
    const { supervisor, model } = supervised(
      host,
      [{ calls: [{ name: "Hammer", input: {} }] }, { text: "ok" }],
      {
        tools: [hammer],
      },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect(resultTexts(model.requests[1])[0]).toMatch(/Hammer needs the user's permission/);
    expect(supervisor.usage().denials).toMatchObject([{ actor: "main", tool_name: "Hammer" }]);
  });

  test("answers without tools at its last turn and ends out_of_turns with that text", async () => {
    const { supervisor, model } = supervised(
      host,
      (request) => (request.withoutTools ? { text: "what I have" } : { text: "more", calls: [use("again")] }),
      { tools: [echo], limits: { maxTurns: 3 } },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "out_of_turns", text: "what I have" });
    expect(summary.reason).toContain("3 turns");
    expect(model.requests).toHaveLength(4);
    expect(model.requests[3]?.tools).toEqual(model.requests[0]?.tools);
  });

  test("drops calls that the model must not make: each tool_use has a result", async () => {
    const { supervisor } = supervised(host, () => ({ text: "again", calls: [use("x")] }), {
      tools: [echo],
      limits: { maxTurns: 1 },
    });
    expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "out_of_turns", text: "again" });
  });

  test("empty text is not done, and what was said before is kept (C3)", async () => {
    const before = supervised(host, [{ text: "half an answer", calls: [use("x")] }, {}], { tools: [echo] });
    expect((await before.supervisor.prompt("go")).summary).toMatchObject({
      status: "partial",
      text: "half an answer",
    });
    const never = supervised(host, [{}]);
    expect((await never.supervisor.prompt("go")).summary).toMatchObject({
      status: "failed",
      text: "",
      reason: expect.stringMatching(/without an answer/),
    });
  });

  test("a reply cut at its length is partial, a refusal failed, with text too (A6)", {
    tags: ["long"],
  }, async () => {
    const cut = supervised(host, () => ({ text: "once upon ", stopReason: "max_tokens" }));
    expect((await cut.supervisor.prompt("go")).summary).toMatchObject({
      status: "partial",
      text: "once upon once upon once upon once upon",
    });
    const refused = supervised(host, [{ text: "", stopReason: "refusal" }]);
    expect((await refused.supervisor.prompt("go")).summary.status).toBe("failed");
    const said = supervised(host, [{ text: "I cannot help with that.", stopReason: "refusal" }]);
    expect((await said.supervisor.prompt("go")).summary).toMatchObject({
      ...{ status: "failed", text: "I cannot help with that." },
      reason: expect.stringMatching(/refused/),
    });
  });

  test("what the server says about a refusal is in the reason, in one line (A6)", async () => {
    const details = { category: "cyber", explanation: "It could be used\nfor an attack." };
    const events = eventsOf({ text: "", stopReason: "refusal" }).map((event) =>
      event.type === "message_delta"
        ? { ...event, delta: { stop_reason: "refusal", stop_details: details } }
        : event,
    );
    const server = await startMessagesServer(() => ({ events }));
    onTestFinished(() => server.close());
    const source = { provider: "anthropic", apiKey: "k", baseURL: server.url } as const;
    const { supervisor } = supervised(host, [], { source });
    expect((await supervisor.prompt("go")).summary).toMatchObject({
      status: "failed",
      reason:
        "The model refused to continue (It could be used for an attack); word the task differently, or use another model.",
    });
  });

  test("ends after a model failure with the reason and the text before", async () => {
    const { supervisor } = supervised(
      host,
      [
        { text: "first part", calls: [use("x")] },
        { failure: { kind: "overloaded", message: "The model server is overloaded." } },
      ],
      { tools: [echo] },
    );
    expect((await supervisor.prompt("go")).summary).toMatchObject({
      status: "failed",
      text: "first part",
      reason: "The model server is overloaded.",
      turns: 1,
    });
  });

  test("sends thinking blocks back unchanged (A1.14)", async () => {
    const { supervisor, model } = supervised(
      host,
      [{ thinking: "hmm", text: "let me look", calls: [use("x")] }, { text: "ok" }],
      { tools: [echo] },
    );
    await supervisor.prompt("go");
    expect(blocks(model.requests[1]?.messages[1], "thinking")).toMatchObject([{ thinking: "hmm" }]);
  });

  test("cancelling while the model is asked ends it as cancelled with what was said", async () => {
    let asked = () => {};
    const secondRequest = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { supervisor } = supervised(
      host,
      [
        { text: "I will look", calls: [use("x")] },
        {
          after: () => {
            asked();
            return new Promise(() => {});
          },
        },
      ],
      { tools: [echo] },
    );
    const stop = new AbortController();
    const result = supervisor.prompt("go", stop.signal);
    await secondRequest;
    stop.abort();
    expect((await result).summary).toMatchObject({ status: "cancelled", text: "I will look" });
  });

  test("cancelling while a tool runs gives every call a result, and the conversation can go on (A1.10)", async () => {
    let running = () => {};
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const stuck = defineTool({
      runsIn: "caller",
      name: "Stuck",
      description: "Waits until it is cancelled.",
      inputSchema: z.object({}),
      permissionLevel: "read",
      parallel: false,
      call: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          running();
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        }),
    });
    const { supervisor, model } = supervised(
      host,
      (_request, n) =>
        n === 0
          ? { text: "two", calls: [{ name: "Stuck", input: {} }, use("never")] }
          : { text: "I am back" },
      { tools: [stuck, echo], limits: { graceMs: 60_000 } },
    );
    const stop = new AbortController();
    const result = supervisor.prompt("go", stop.signal);
    await started;
    stop.abort();
    expect((await result).summary.status).toBe("cancelled");
    expect((await supervisor.prompt("and now?")).summary).toMatchObject({
      status: "done",
      text: "I am back",
    });
    const { messages = [] } = model.requests[1] ?? {};
    const uses = messages.flatMap((m) => blocks(m, "tool_use"));
    const results = messages.flatMap((m) => blocks(m, "tool_result"));
    expect(results.map((r) => r.type === "tool_result" && r.tool_use_id)).toEqual(
      uses.map((u) => u.type === "tool_use" && u.id),
    );
    expect(results).toMatchObject([
      { is_error: true },
      { is_error: true, content: expect.stringContaining("Not run") },
    ]);
  });

  test("continues the same conversation with a second prompt", async () => {
    const { supervisor, model } = supervised(host, [{ text: "one" }, { text: "two" }, { text: "three" }]);
    await supervisor.prompt("first");
    await supervisor.prompt("second");
    const last = await supervisor.prompt("third");
    expect(last.summary).toMatchObject({ text: "three", turns: 3 });
    expect(
      model.requests[2]?.messages.map(({ content }) => (typeof content === "string" ? content : "…")),
    ).toEqual(["first", "…", "second", "…", "third"]);
  });

  test("a tool registered at run time is offered, validated and callable with no other change (A1.1, A3.35)", async () => {
    const { supervisor, model } = supervised(host, [{ calls: [use("hello")] }, { text: "ok" }], {
      tools: [echo],
    });
    await supervisor.prompt("go");
    expect(model.requests[0]?.tools.find(({ name }) => name === "Echo")).toEqual({
      name: "Echo",
      description: "Gives back what it is given.",
      input_schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    });
    expect(resultTexts(model.requests[1])).toEqual(["hello"]);
  });
});
