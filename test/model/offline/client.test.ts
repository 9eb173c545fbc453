import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { MessageParam } from "../../../src/mailbox/conversation.ts";
import { textOf } from "../../../src/mailbox/conversation.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelEvent } from "../../../src/model/client.ts";
import { offlineModel } from "../../../src/model/offline.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { untrueCitations } from "./citations.ts";
import { ask, callsIn, converse, EVERYTHING, request, withTools } from "./conversing.ts";

withTools();

const asked = (prompt: string): MessageParam[] => [{ role: "user", content: prompt }];

describe("the offline model as a model client", () => {
  test("names itself and the model that answered, and estimates tokens at four characters each", async () => {
    const hello = request({ messages: asked("hello"), system: ["12345678"], tools: [] });
    const { model, usage, apiMs, content } = await ask(hello);
    expect(offlineModel().name).toBe("offline");
    expect(model).toBe("offline");
    expect(apiMs).toBe(0);
    expect(usage.cache_creation_input_tokens + usage.cache_read_input_tokens).toBe(0);
    expect(usage.input_tokens).toBeGreaterThanOrEqual(Math.ceil("12345678hello".length / 4));
    expect(usage.output_tokens).toBeGreaterThanOrEqual(Math.ceil(textOf(content).length / 4));
    const longer = await ask({ ...hello, system: ["1".repeat(4_008)] });
    expect(longer.usage.input_tokens - usage.input_tokens).toBe(1_000);
  });

  test("the same request gets the same reply, from any instance", async () => {
    const same = request({
      actor: MAIN,
      tools: EVERYTHING,
      messages: asked("where is parser? where is lexer?"),
    });
    expect(await ask(same)).toEqual(await ask(structuredClone(same)));
  });

  test("announces each call before its reply, and streams text only if it is shown", async () => {
    const events: ModelEvent[] = [];
    const calls = request({
      actor: MAIN,
      tools: ["Agent"],
      messages: asked("where is parser? where is lexer?"),
    });
    await ask(calls, events);
    expect(events).toEqual([
      { type: "call-begins", tool: "Agent" },
      { type: "call-begins", tool: "Agent" },
    ]);
    const silent: ModelEvent[] = [];
    const hello = request({ actor: MAIN, messages: asked("hello") });
    await ask(hello, silent);
    expect(silent).toEqual([]);
    const aloud: ModelEvent[] = [];
    const reply = await ask({ ...hello, streamText: true }, aloud);
    expect(aloud.length).toBeGreaterThan(1);
    expect(aloud.map((event) => (event.type === "text" ? event.text : "?")).join("")).toBe(
      textOf(reply.content),
    );
  });

  test("an aborted signal is answered with a `cancelled` failure, without any event", async () => {
    const events: ModelEvent[] = [];
    const signal = AbortSignal.abort();
    const outcome = await offlineModel().ask(
      request({ messages: asked("hello") }),
      (event) => events.push(event),
      signal,
    );
    expect(outcome).toMatchObject({ type: "failure", failure: { kind: "cancelled" } });
    expect(events).toEqual([]);
  });

  test("ids of calls are unique in a conversation, also after it was shortened", async () => {
    const cwd = await sources();
    const { calls, messages } = await converse({ cwd, prompt: "how is the parser flushed?" });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    const [first] = messages;
    const shortened = [...(first ? [first] : []), ...messages.slice(-3, -1)];
    const used = new Set(calls.map(({ id }) => id));
    const reply = await ask(request({ cwd, messages: shortened }));
    expect(callsIn(reply).filter(({ id }) => used.has(id))).toEqual([]);
  });

  test("needs no working directory to be named, and no tool to be there", async () => {
    const bare = { ...request({ messages: asked("where is a parser?") }), system: [] };
    expect(callsIn(await ask(bare)).length).toBeGreaterThan(0);
    expect(callsIn(await ask({ ...bare, tools: [] }))).toEqual([]);
  });

  test("odd conversations get an answer, never an exception", async () => {
    const odd: MessageParam[][] = [
      [],
      asked(""),
      [{ role: "user", content: [] }],
      [{ role: "assistant", content: "I begin." }],
      [{ role: "user", content: [{ type: "tool_result", tool_use_id: "none", content: "x" }] }],
      asked("\u0000\ud800 where is \udfff?"),
      asked("(((((((*+?[]{}|\\^$ .* where [a-z]+?"),
      asked("where is ".concat("a_very_long_word_".repeat(2_000))),
    ];
    for (const messages of odd) expect((await ask(request({ messages }))).content.length).toBeGreaterThan(0);
  });
});

describe("a question", () => {
  test("can go on after any turn in another instance, with the same end (promise 8)", async () => {
    const cwd = await sources();
    const whole = await converse({ cwd, prompt: "how is the parser flushed?" });
    for (let end = 1; end < whole.messages.length; end += 2) {
      const reply = await ask(request({ cwd, messages: whole.messages.slice(0, end) }));
      expect(reply.content).toEqual(whole.messages[end]?.content);
    }
  });

  test("is answered with what is known when tools may no longer be called", async () => {
    const cwd = await sources();
    const whole = await converse({ cwd, prompt: "how is the parser flushed?" });
    const note = { type: "text" as const, text: "You have no turns left. Where is the summary? Answer now." };
    for (let end = 1; end < whole.messages.length; end += 2) {
      const messages = whole.messages.slice(0, end);
      const last = messages.pop();
      if (last === undefined) throw new Error("no message");
      const before =
        typeof last.content === "string" ? [{ type: "text" as const, text: last.content }] : last.content;
      messages.push({ role: "user", content: [...before, note] });
      const reply = await ask(request({ cwd, messages, withoutTools: true }));
      expect(callsIn(reply)).toEqual([]);
      const text = textOf(reply.content);
      expect(await untrueCitations(cwd, text)).toEqual([]);
      expect(text).toMatch(end === 1 ? /^Nothing could be looked up/ : /src\/parser\.ts:2/);
    }
  });

  test("about uses leads to the uses, not to the definition", async () => {
    const cwd = await sources();
    const { text } = await converse({ cwd, prompt: "who calls flushParser?" });
    expect(text).toMatch(
      /^`flushParser` is named in 2 other lines of 1 file\. It is defined in src\/parser\.ts:2\./,
    );
  });

  test("that names a file is answered from that file", async () => {
    const cwd = await sources();
    const { text } = await converse({ cwd, prompt: "what is in src/main.ts?" });
    expect(text).toContain("src/main.ts:");
    expect(await untrueCitations(cwd, text)).toEqual([]);
  });

  test("several of them, to an agent that starts no others, are answered one by one", async () => {
    const cwd = await sources();
    const { text } = await converse({ cwd, prompt: "where is flushParser? where is zzqq?" });
    expect(text).toMatch(/^## where is flushParser\?\n\nThe best match is src\/parser\.ts:2/);
    expect(text).toMatch(/## where is zzqq\?\n\nNothing was found for zzqq/);
  });
});

async function sources(): Promise<string> {
  const cwd = temporaryFolder();
  await mkdir(join(cwd, "src"));
  const parser = [
    "/** Empties the parser: what is left in it is flushed to its reader. */",
    "export function flushParser(): void {",
    "  left = [];",
    "}",
    "",
  ];
  const used = [
    'import { flushParser } from "./parser.ts";',
    "",
    "export function main() {",
    "  flushParser();",
    "}",
    "",
  ];
  await writeFile(join(cwd, "src/parser.ts"), parser.join("\n"));
  await writeFile(join(cwd, "src/main.ts"), used.join("\n"));
  return cwd;
}

describe("an answer that does not mislead (issue 20, 13)", () => {
  const files = {
    "package.json": '{\n  "exports": {\n    ".": {\n      "require": "./index.cjs"\n    }\n  }\n}\n',
    "src/telemetry.ts":
      "/** A test span was not delivered. */\nexport const failure = 1;\n// TODO: send it again\n",
    "other/a.ts": "// TODO: here\n",
  };
  test.each([
    ["list the dependencies", /names no dependencies/, "end_turn"],
    [
      "is there a TODO in src/?",
      /^1 comment with TODO, FIXME, HACK or XXX in src\/\.\n\nsrc\/telemetry/,
      "end_turn",
    ],
    ["are there tests?", /^I cannot tell\./, "incomplete"],
  ])("%s", async (prompt, says, ends) => {
    const cwd = temporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await writeFile(join(cwd, path), text);
    }
    const { text, stopReason } = await converse({ cwd, prompt });
    expect(text).toMatch(says);
    expect(stopReason).toBe(ends);
  });
});
