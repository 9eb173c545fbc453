// @module-tag long
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { defineAgent } from "../../../src/context/agents/definition.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { everyDayHosts, shippedHosts, supervised } from "../../support/supervised.ts";

const schema = {
  type: "object",
  required: ["findings"],
  additionalProperties: false,
  properties: {
    findings: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "line"],
        properties: { path: { type: "string" }, line: { type: "integer", minimum: 1 } },
      },
    },
  },
};
const good = { findings: [{ path: "a.ts", line: 3 }] };
const bad = { findings: [{ path: "a.ts", line: "3" }], extra: true };
const textIn = ({ messages }: ModelRequest) => JSON.stringify(messages);
const inTurn = (...replies: readonly string[]) => {
  let asked = 0;
  return (): ScriptedTurn => ({ text: replies[asked++] ?? "no more" });
};

describe.each(shippedHosts)("an agent whose answer must be data, on %s", (host) => {
  test("gets the schema, and its answer is available as text and as data", async () => {
    const { supervisor, model } = supervised(host, inTurn(JSON.stringify(good)));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: schema });
    expect(summary).toMatchObject({ status: "done", text: JSON.stringify(good), output: good, turns: 1 });
    expect(textIn(model.requests[0] as ModelRequest)).toContain("JSON Schema");
  });

  test("may answer with a fenced block among words", async () => {
    const text = `Here it is:\n\n\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\`\n\nThat is all.`;
    const { supervisor } = supervised(host, inTurn(text));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: schema });
    expect(summary).toMatchObject({ status: "done", text, output: good });
  });

  test("gets the paths of what does not fit, and answers again", async () => {
    const { supervisor, model } = supervised(host, inTurn(JSON.stringify(bad), JSON.stringify(good)));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: schema });
    expect(summary).toMatchObject({ status: "done", output: good, turns: 2 });
    const told = textIn(model.requests[1] as ModelRequest);
    expect(told).toContain("/findings/0/line: Instance type");
    expect(told).toContain("/extra: There must be no such property.");
  });

  test("has three tries in all; then it is partial, with its text and the reason", async () => {
    const { supervisor, model } = supervised(
      host,
      inTurn("One.", "Two.", JSON.stringify(bad), "never asked"),
    );
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: schema });
    expect(model.requests).toHaveLength(3);
    expect(summary).toMatchObject({ status: "partial", text: JSON.stringify(bad), turns: 3 });
    expect(summary.reason).toMatch(/does not fit its output_schema after 3 tries: .*\/findings\/0\/line/);
    expect(summary).not.toHaveProperty("output");
  });
});

describe.each(everyDayHosts)("data, on %s", (host) => {
  test("is what a zod schema of a library user's says", async () => {
    const output = z.object({ name: z.string(), size: z.number() });
    const { supervisor } = supervised(host, inTurn('{"name":"a"}', '{"name":"a","size":1}'));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output });
    expect(summary).toMatchObject({ status: "done", output: { name: "a", size: 1 }, turns: 2 });
  });

  test("is what a definition says, and a call says otherwise", async () => {
    const agents = [
      defineAgent({ name: "finder", whenToUse: "", prompt: "Find.", tools: [], outputSchema: schema }),
    ];
    const { supervisor } = supervised(host, inTurn(JSON.stringify(good), '"yes"'), { agents });
    const own = await supervisor.spawn({ type: "finder", prompt: "Look." });
    expect(own.summary.output).toEqual(good);
    const other = await supervisor.spawn({
      type: "finder",
      prompt: "Look.",
      output: { enum: ["yes", "no"] },
    });
    expect(other.summary.output).toBe("yes");
  });

  test("null, false and 0 are data as well", async () => {
    const { supervisor } = supervised(host, inTurn("null", "false", "0"));
    for (const output of [null, false, 0]) {
      const { summary } = await supervisor.spawn({ prompt: "Look.", output: {} });
      expect(summary).toMatchObject({ status: "done", output });
    }
  });

  test("fails on a schema that refers to nothing, without asking again", async () => {
    const { supervisor, model } = supervised(host, inTurn("{}", "{}"));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: { $ref: "#/$defs/none" } });
    expect(summary).toMatchObject({ status: "partial", text: "{}" });
    expect(summary.reason).toMatch(/output_schema cannot be used \(Unresolved \$ref/);
    expect(model.requests).toHaveLength(1);
  });

  test("fails with a reason on a schema that refers to itself", async () => {
    const { supervisor } = supervised(host, inTurn("{}"));
    const { summary } = await supervisor.spawn({ prompt: "Look.", output: { $ref: "#" } });
    expect(summary.reason).toMatch(/output_schema cannot be used/);
  });

  test("an agent at its last turn is not asked again", async () => {
    const agents = [defineAgent({ name: "brief", whenToUse: "", prompt: ".", tools: [], maxTurns: 1 })];
    const { supervisor, model } = supervised(host, inTurn("no", "neither", "never"), { agents });
    const { summary } = await supervisor.spawn({ type: "brief", prompt: "Look.", output: schema });
    expect(model.requests).toHaveLength(2);
    expect(summary).toMatchObject({ status: "out_of_turns", text: "neither" });
    expect(summary.reason).toMatch(/limit of 1 turn. Its answer does not fit/);
  });

  test("the parent reads the text, hears that it fits, and can resume without asking for a schema", async () => {
    const replies = [
      { calls: [{ name: "Agent", input: { description: "d", prompt: "p", output_schema: schema } }] },
      { text: `Found:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\`` },
      { text: "thanks" },
    ];
    let asked = 0;
    const { supervisor, model } = supervised(host, () => replies[asked++] as ScriptedTurn);
    const { summary } = await supervisor.prompt("Go.");
    expect(summary.status).toBe("done");
    const heard = textIn(model.requests[2] as ModelRequest);
    expect(heard).toContain("The JSON in its report fits the output_schema.");
    expect(heard).toContain("The data alone:");
    expect(supervisor.tree()[1]?.summary?.output).toEqual(good);
  });

  test("a fork of an agent that must answer with data need not", async () => {
    const replies = [
      {
        calls: [
          {
            name: "Agent",
            input: { description: "d", prompt: "fork it", subagent_type: "fork", run_in_background: false },
          },
        ],
      },
      { text: "plain words" },
      { text: JSON.stringify(good) },
    ];
    let asked = 0;
    const { supervisor } = supervised(host, () => replies[asked++] as ScriptedTurn);
    const { summary } = await supervisor.spawn({ type: "general-purpose", prompt: "p", output: schema });
    expect(summary).toMatchObject({ status: "done", output: good });
    expect(supervisor.tree()[1]?.summary).toMatchObject({ status: "done", text: "plain words" });
  });

  test("a schema larger than a prompt should hold is refused", async () => {
    const { supervisor } = supervised(host, inTurn("{}"));
    const output = { description: "x".repeat(30_000) };
    await expect(supervisor.spawn({ prompt: "p", output })).rejects.toThrow(/at most 20000 characters/);
  });
});

test("a pattern of a schema that never ends harms its own agent: others continue, and the watch ends it", async () => {
  const { supervisor } = supervised(
    "worker threads",
    (request) => ({
      text: request.messages.some(({ content }) => String(content).includes("Slow"))
        ? JSON.stringify(`${"a".repeat(64)}!`)
        : "quick",
    }),
    { limits: { stuckWarnMs: 200, stuckMs: 1_000, graceMs: 100 } },
  );
  const slow = supervisor.spawn({ prompt: "Slow.", output: { type: "string", pattern: "^(a+)+$" } });
  expect((await supervisor.spawn({ prompt: "Other." })).summary).toMatchObject({
    status: "done",
    text: "quick",
  });
  expect((await slow).summary.status).toBe("timed_out");
});
