// @module-tag long
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const say = (name: string, words: string) =>
  defineTool({
    runsIn: "caller",
    ...{ name, description: words, permissionLevel: "execute" as const },
    inputSchema: z.object({ text: z.string().check(z.describe("What to say. ".repeat(40))) }),
    call: async ({ text }) => `${name} said ${text}`,
  });
const many = Array.from({ length: 30 }, (_, at) => say(`Say${at}`, `Says something in language ${at}`));
const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const isMain = ({ actor }: ModelRequest) => actor === "main";
const on: Partial<SupervisorOptions> = { deferTools: { tools: "on" }, permissionMode: "bypassPermissions" };

describe.each(everyDayHosts)("deferred tools, %s", (host) => {
  test("named only, found, called through UseTool; what is sent before the conversation stays byte for byte (A2.4, A22.19)", async () => {
    const { supervisor, model } = supervised(
      host,
      [
        call("ToolSearch", { query: "select:Say7" }),
        call("UseTool", { tool: "Say7", input: { text: "hello" } }),
        { text: "done" },
      ],
      { ...on, tools: many },
    );
    const { summary } = await supervisor.prompt("go");
    const [first, second, third] = model.requests;
    expect(names(first)).toEqual(expect.arrayContaining(["Read", "Bash", "Agent", "ToolSearch", "UseTool"]));
    expect(names(first).filter((name) => /^Say|NotebookEdit/.test(name))).toEqual([]);
    expect(textsOf(first ?? never())).toMatch(/Deferred tools\n[\s\S]*\nNotebookEdit\n[\s\S]*\nSay7\n/);
    expect(textsOf(second ?? never())).toContain(
      '{"name":"Say7","description":"Says something in language 7","input_schema":',
    );
    expect(textsOf(third ?? never())).toContain("Say7 said hello");
    for (const request of [second, third]) {
      expect(JSON.stringify([request?.tools, request?.system])).toBe(
        JSON.stringify([first?.tools, first?.system]),
      );
    }
    expect(summary.receipts.tools).toEqual({ ToolSearch: 1, Say7: 1 });
  });

  test("one that is called by its own name runs as well; a wrong input is answered like any other's", async () => {
    const { supervisor, model } = supervised(
      host,
      [
        call("Say3", { text: "hi" }),
        call("UseTool", { tool: "Say3", input: { words: 1 } }),
        call("UseTool", { tool: "Read", input: {} }),
        call("UseTool", { tool: "Sing" }),
        { text: "done" },
      ],
      { ...on, tools: many },
    );
    await supervisor.prompt("go");
    const said = textsOf(model.requests.at(-1) ?? never());
    expect(said).toContain("Say3 said hi");
    expect(said).toContain("Invalid input for Say3");
    expect(said).toContain("Read is not deferred: call it by its own name.");
    expect(said).toContain('There is no deferred tool named "Sing". Find its name with ToolSearch.');
  });

  test("rules and denials are of the tool that is called", async () => {
    const { supervisor, model } = supervised(
      host,
      [
        call("UseTool", { tool: "Say1", input: { text: "a" } }),
        call("UseTool", { tool: "Say2", input: { text: "b" } }),
        { text: "done" },
      ],
      { ...on, permissionMode: "default", tools: many, allowedTools: ["Say1"] },
    );
    await supervisor.prompt("go");
    const said = textsOf(model.requests.at(-1) ?? never());
    expect(said).toContain("Say1 said a");
    expect(said).not.toContain("Say2 said b");
    expect(supervisor.usage().denials).toMatchObject([{ tool_name: "Say2", tool_input: { text: "b" } }]);
  });

  test("by itself only where schemas are too much of the window", async () => {
    const within = supervised(host, [{ text: "done" }], { tools: many });
    await within.supervisor.prompt("go");
    expect(names(within.model.requests[0])).toContain("Say7");
    expect(names(within.model.requests[0])).not.toContain("ToolSearch");

    const above = supervised(host, [{ text: "done" }], { tools: many, deferTools: { above: 0.001 } });
    await above.supervisor.prompt("go");
    expect(names(above.model.requests[0])).toContain("ToolSearch");
    expect(names(above.model.requests[0])).toEqual(expect.arrayContaining(["NotebookEdit", "Read"]));
    expect(names(above.model.requests[0])).not.toContain("Say7");
  });

  test.each<[string, NonNullable<SupervisorOptions["deferTools"]>, boolean]>([
    ["a window of a million tokens does not make room for all", {}, true],
    ["a share that the user has set is the only limit", { above: 0.1 }, false],
    ["both are set", { above: 0.1, aboveTokens: 30_000 }, true],
  ])("by itself if schemas are large: %s", async (_, deferTools, isDeferred) => {
    const { supervisor, model } = supervised(host, [{ text: "done" }], {
      tools: Array.from({ length: 250 }, (_, at) => say(`Say${at}`, `Says something in language ${at}`)),
      ...{ model: "a-model", compaction: { windows: { "a-model": 1_000_000 } } },
      ...{ deferTools },
    });
    await supervisor.prompt("go");
    expect(names(model.requests[0]).includes("Say7")).toBe(!isDeferred);
  });

  test("off: never", async () => {
    const { supervisor, model } = supervised(host, [{ text: "done" }], {
      tools: many,
      deferTools: { tools: "off", above: 0 },
    });
    await supervisor.prompt("go");
    expect(names(model.requests[0])).toContain("Say7");
  });

  test("their names may be in the system prompt", async () => {
    const { supervisor, model } = supervised(host, [{ text: "done" }], {
      ...on,
      tools: many,
      deferTools: { tools: "on", names: "inline" },
    });
    await supervisor.prompt("go");
    expect(model.requests[0]?.system.join("\n")).toContain("\nSay7\n");
    expect(textsOf(model.requests[0] ?? never())).not.toContain("Say7");
  });

  test("an agent has those that its definition allows, and a definition without any has no search", async () => {
    const agents = [
      { name: "talker", whenToUse: "", prompt: "Talk.", tools: ["Read", "Say1"] },
      { name: "reader", whenToUse: "", prompt: "Read.", tools: ["Read"] },
    ];
    const { supervisor, model } = supervised(host, (request) => ({ text: `read it as ${request.actor}` }), {
      ...on,
      tools: many,
      agents,
    });
    await supervisor.spawn({ type: "talker", prompt: "go" });
    await supervisor.spawn({ type: "reader", prompt: "go" });
    expect(names(model.requests[0])).toEqual(["Read", "ToolSearch", "UseTool"]);
    expect(textsOf(model.requests[0] ?? never())).not.toContain("Say2");
    expect(names(model.requests[1])).toEqual(["Read"]);
  });

  test.each(["auto", "off"] as const)(
    "fault 58: a schema for which the API refuses the whole request is in none, and its tool can be called (%s)",
    async (tools) => {
      const { supervisor, model } = supervised(
        host,
        [
          call("ToolSearch", { query: "select:mcp__bad__either" }),
          call("UseTool", { tool: "mcp__bad__either", input: { a: "x" } }),
          { text: "done" },
        ],
        {
          mcpServers: { bad: server("raw.ts", "unfit-schemas") },
          permissionMode: "bypassPermissions",
          deferTools: { tools },
        },
      );
      await supervisor.prompt("go");
      const served = names(model.requests[0]).filter((name) => name.startsWith("mcp__"));
      expect(served).toEqual(["mcp__bad__fine"]);
      expect(textsOf(model.requests[0] ?? never())).toMatch(/mcp__bad__either\nmcp__bad__nonsense\n/);
      expect(textsOf(model.requests[1] ?? never())).toContain('"oneOf":[{"required":["a"]}');
      expect(textsOf(model.requests[2] ?? never())).toContain("hello from ");
    },
  );

  test("fault 58: without a way to deferred tools such a tool is not offered", async () => {
    const { supervisor, model } = supervised(host, [{ text: "done" }], {
      mcpServers: { bad: server("raw.ts", "unfit-schemas") },
      disallowedTools: ["UseTool"],
    });
    await supervisor.prompt("go");
    expect(names(model.requests[0]).filter((name) => /^mcp__|ToolSearch/.test(name))).toEqual([
      "mcp__bad__fine",
    ]);
  });

  test("tools of servers first: an agent finds one and calls it", { tags: ["long"] }, async () => {
    const { supervisor, model } = supervised(
      host,
      (request, n) => {
        if (isMain(request))
          return n === 0 ? call("Agent", { description: "echo", prompt: "echo" }) : { text: "ok" };
        if (n === 0) return call("ToolSearch", { query: "+good echo" });
        return n === 1
          ? call("UseTool", { tool: "mcp__good__echo", input: { text: "from below" } })
          : { text: "heard" };
      },
      {
        mcpServers: { good: server("good.ts") },
        permissionMode: "bypassPermissions",
        tools: [say("Own", "Own")],
        deferTools: { above: 0.0003 },
      },
    );
    await supervisor.prompt("go");
    const below = model.requests.filter((request) => !isMain(request));
    expect(names(below[0]).filter((name) => name.startsWith("mcp__"))).toEqual([]);
    expect(names(below[0])).toContain("Own");
    expect(textsOf(below[1] ?? never())).toContain('{"name":"mcp__good__echo"');
    expect(textsOf(below[2] ?? never())).toContain("from below");
  });
});

function never(): never {
  throw new Error("There is no such request.");
}
