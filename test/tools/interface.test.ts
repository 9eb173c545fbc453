import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import { builtInAgents } from "../../src/context/agents/built-in.ts";
import { listAgents } from "../../src/features/agents/listing.ts";
import type { LanguageServer } from "../../src/lsp/find-servers.ts";
import type { ToolResultContent } from "../../src/mailbox/conversation.ts";
import type { PermissionLevel } from "../../src/policy/user-requests.ts";
import { agentTool } from "../../src/tools/agent.ts";
import { type CustomTool, defineTool } from "../../src/tools/define-tool.ts";
import { descriptionOf } from "../../src/tools/definition.ts";
import { globTool } from "../../src/tools/glob.ts";
import { grepTool } from "../../src/tools/grep/grep.ts";
import { agentTools } from "../../src/tools/index.ts";
import { readTool } from "../../src/tools/read.ts";
import { everyTool, type Tool, type ToolPrompt } from "../../src/tools/tool.ts";
import { withSkills } from "../features/skills/with-skills.ts";
import { supervised } from "../support/supervised.ts";

const spawner = {
  agents: [],
  forks: false,
  resolve: () => null,
  spawn: () => Promise.reject(new Error("unused")),
};
const builtIn = [readTool, globTool, grepTool, agentTool(spawner)];

describe("the tool interface", () => {
  test("has the members the seeds name, and every built-in tool satisfies it at compile time (A3.34, A22.18)", () => {
    expectTypeOf<Tool>().toHaveProperty("name").toEqualTypeOf<string>();
    expectTypeOf<Tool>().toHaveProperty("description").toEqualTypeOf<string | ToolPrompt>();
    expectTypeOf<Tool>().toHaveProperty("inputSchema");
    expectTypeOf<Tool>()
      .toHaveProperty("permissionLevel")
      .toEqualTypeOf<"read" | "write" | "execute" | "network">();
    expectTypeOf<Tool>().toHaveProperty("call");
    expectTypeOf<
      Tool<never, string>["mapToolResultToToolResultBlockParam"]
    >().returns.toEqualTypeOf<ToolResultContent>();
    for (const tool of builtIn) {
      expect(["read", "write", "execute", "network"] satisfies PermissionLevel[]).toContain(
        tool.permissionLevel,
      );
      expect(tool.name).toMatch(/^[A-Z][A-Za-z]+$/);
    }
  });

  test("every tool is described, with a schema that has something in it (A1.17)", () => {
    for (const tool of builtIn) {
      expect(descriptionOf(tool, everyTool).length).toBeGreaterThan(200);
      const { properties, required } = z.toJSONSchema(tool.inputSchema);
      expect(Object.keys(properties ?? {}).length).toBeGreaterThan(0);
      expect(required?.length).toBeGreaterThan(0);
    }
  });

  test("a tool of an MCP server is a tool like any other: flat, routed by its name, validated, called (A1.16, A3.34)", async () => {
    const server = new McpServer({ name: "demo", version: "1.0.0" });
    server.registerTool("double", { description: "Doubles a number." }, async () => ({
      content: [{ type: "text", text: "no input" }],
    }));
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "troupe-test", version: "1.0.0" });
    await Promise.all([server.connect(far), client.connect(near)]);
    onTestFinished(() => client.close());
    const double: CustomTool = defineTool({
      runsIn: "caller",
      name: "mcp__demo__double",
      description: (await client.listTools()).tools[0]?.description ?? "",
      inputSchema: z.object({}),
      permissionLevel: "network",
      call: async () => JSON.stringify((await client.callTool({ name: "double" })).content),
    });
    const session = supervised(
      "in-thread",
      [{ calls: [{ name: "mcp__demo__double", input: {} }] }, { text: "ok" }],
      {
        tools: [double],
        allowedTools: ["mcp__demo__double"],
      },
    );
    await session.supervisor.prompt("double it");
    const offered = session.model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(offered).toEqual(expect.arrayContaining(["Read", "Glob", "Grep", "Agent"]));
    expect(offered.at(-1)).toBe("mcp__demo__double");
    expect(JSON.stringify(session.model.requests[1]?.messages)).toContain("no input");
  });
});

/** With one that may be started the tool LSP is offered. */
const neverAsked: LanguageServer = {
  ...{ language: "toy", name: "toy-server", origin: "machine", file: "/nowhere", args: [] },
  ...{ endings: { ".toy": "toy" }, env: {}, settings: {}, digest: "" },
};

describe("agent types", () => {
  test.each([
    ["Explore", ["Read", "Glob", "Grep"]],
    ["Plan", ["Read", "Glob", "Grep"]],
    ["code-reviewer", ["Read", "Glob", "Grep", "Bash"]],
    ["security-audit", ["Read", "Glob", "Grep", "Bash"]],
  ])("%s has %j, and no tool that writes (A11.3)", (name, tools) => {
    expect(listAgents().find((agent) => agent.name === name)?.tools).toEqual(tools);
  });

  test("general-purpose has every tool but the main conversation's own, and may start agents (A11.3)", () => {
    const tools = listAgents().find((agent) => agent.name === "general-purpose")?.tools ?? [];
    // Those that find deferred tools are offered where something is deferred.
    const offered = agentTools
      .map(({ name }) => name)
      .filter((name) => !["ToolSearch", "UseTool"].includes(name));
    expect(tools).toEqual(expect.arrayContaining([...offered, "Agent"]));
    expect(tools).not.toContain("ExitPlanMode");
  });

  test("Explore and Plan name no tool that writes or runs, whatever tools will come (A11.3)", () => {
    for (const name of ["Explore", "Plan"]) {
      expect(builtInAgents.find((agent) => agent.name === name)?.tools).toEqual(["Read", "Glob", "Grep"]);
    }
  });

  test("the list a model chooses from has a line for each: name, use and tools (A4.16, A11.10)", async () => {
    const { supervisor, model } = withSkills([{ text: "ok" }], {
      person: { ask: async () => ({ type: "deny", span: "once" }) },
      webSearch: { url: "http://127.0.0.1/" },
      languageServers: { servers: [neverAsked], unserved: [], untrusted: [] },
    });
    await supervisor.prompt("hi");
    const description = model.requests[0]?.tools.find(({ name }) => name === "Agent")?.description ?? "";
    for (const { name, whenToUse, tools } of listAgents()) {
      expect(description).toContain(`- ${name}: ${whenToUse} (Tools: ${tools.join(", ")})`);
    }
  });
});
