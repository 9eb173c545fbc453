// @module-tag long
import { describe, expect, test } from "vitest";
import { type AgentDefinition, defineAgent } from "../../../src/context/agents/definition.ts";
import type { SupervisorEvent } from "../../../src/events/event.ts";
import { missingServers, missingWords } from "../../../src/features/servers/named-servers.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { server } from "../../mcp/opened-mcp.ts";
import { supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

function kind(name: string, named: readonly string[], own: Record<string, unknown> = {}): AgentDefinition {
  return defineAgent({
    ...{ name, whenToUse: "", prompt: `You are ${name}.`, tools: ["Read"] },
    mcpServers: { named, own },
  });
}

const nothing = { servers: [], leftOut: {}, kinds: [] };

describe("servers that a definition names", () => {
  test("are there by their name, by what it comes to in rules, and where it brings them itself", () => {
    const there = { ...nothing, servers: ["my server", "github"] };
    expect(missingServers(kind("a", ["my_server", "github", "db"], { db: {} }), there)).toEqual([]);
    expect(missingServers({ name: "a" }, there)).toEqual([]);
  });

  test("that no server has are reported with similar names", () => {
    const there = { ...nothing, servers: ["github", "tracker"], leftOut: { githab: "it is off" } };
    expect(missingServers(kind("a", ["Github", "git-hub", "weather"]), there)).toEqual([
      { name: "Github", reason: "there is no server of this name; near it: github, githab" },
      { name: "git-hub", reason: "there is no server of this name; near it: github, githab" },
      { name: "weather", reason: "there is no server of this name" },
    ]);
  });

  test("that are left out, or another type's own, are reported as that", () => {
    const there = { ...nothing, leftOut: { github: "it is off" }, kinds: [kind("dba", [], { db: {} })] };
    expect(missingServers(kind("a", ["github", "db"]), there)).toEqual([
      { name: "github", reason: "it is off" },
      { name: "db", reason: "only agents of type dba bring it" },
    ]);
  });

  test("are reported in a limited number of sentences, in one line each", () => {
    const names = Array.from({ length: 9 }, (_, n) => `a\n${n}${"x".repeat(500)}`);
    const words = missingWords(kind("k", names), nothing);
    expect(words).toHaveLength(6);
    expect(words.join("")).not.toContain("\n");
    expect(words.join("").length).toBeLessThan(2_000);
    expect(words.at(-1)).toBe("4 more MCP servers that agents of type k name are not there.");
  });
});

const MISSING =
  'Agents of type reviewer do not get the MCP server "github": there is no server of this name; near it: githab.';
const asks = (type: string, more: object = {}) => ({
  name: "Agent",
  input: { description: type, prompt: "go", subagent_type: type, ...more },
});
const isMain = ({ actor }: ModelRequest) => actor === "main";
const warningsIn = (events: readonly SupervisorEvent[]) =>
  events.flatMap((event) =>
    event.type === "warning" && event.message.includes("do not get") ? [event.message] : [],
  );
const OFF = { disabled: true, command: "none" };

describe("a server that does not exist (A11.3)", () => {
  test.each([
    ["with a server", { githab: server("raw.ts", "plain") }],
    ["without any that starts", { githab: OFF }],
  ])(
    "is reported once to the user, to the agent, and in the spawn's result, %s",
    { tags: ["long"] },
    async (_, mcpServers) => {
      const { supervisor, model, events } = supervised(
        "in-thread",
        (request, n) => {
          if (!isMain(request)) return { text: "done" };
          return n === 0 ? { calls: [asks("reviewer"), asks("Explore")] } : { text: "ok" };
        },
        { agents: [kind("reviewer", ["github"])], mcpServers },
      );
      await supervisor.prompt("go");
      await supervisor.prompt("again");
      expect(warningsIn(events)).toEqual([MISSING]);
      const [, second] = model.requests.filter(isMain);
      expect(textsOf(second ?? fail()).split(MISSING)).toHaveLength(2);
      const mine = model.requests.find(({ system }) => system.join().includes("You are reviewer."));
      expect(textsOf(mine ?? fail())).toContain(`${MISSING} Continue without what is missing`);
      const other = model.requests.find((one) => !isMain(one) && one !== mine);
      expect(textsOf(other ?? fail())).not.toContain("github");
    },
  );

  test("is reported when such an agent is started in the background", async () => {
    const { supervisor, model } = supervised(
      "in-thread",
      (request, n) => {
        if (!isMain(request)) return { text: "done" };
        return n === 0 ? { calls: [asks("reviewer", { run_in_background: true })] } : { text: "ok" };
      },
      { agents: [kind("reviewer", ["github"])], mcpServers: { githab: OFF } },
    );
    await supervisor.prompt("go");
    const [, second] = model.requests.filter(isMain);
    expect(textsOf(second ?? fail())).toContain(MISSING);
  });

  test("is not reported of a type that no agent can start", async () => {
    const agents = [kind("reviewer", ["github"]), kind("quiet", ["nowhere"])];
    const { supervisor, events } = supervised("in-thread", () => ({ text: "done" }), {
      ...{ agents, mcpServers: { githab: OFF }, disallowedTools: ["Agent"] },
    });
    await supervisor.prompt("go");
    expect(warningsIn(events)).toEqual([]);
    await supervisor.spawn({ type: "reviewer", prompt: "go" });
    await supervisor.spawn({ type: "reviewer", prompt: "go" });
    expect(warningsIn(events)).toEqual([MISSING]);
  });

  test("is reported of a definition that is added later, at the next prompt", async () => {
    let agents: readonly AgentDefinition[] | null = null;
    const { supervisor, events } = supervised("in-thread", () => ({ text: "ok" }), {
      mcpServers: { githab: OFF },
      agentsNow: async () => (agents === null ? null : { agents, notes: [] }),
    });
    await supervisor.prompt("go");
    agents = [kind("reviewer", ["github"])];
    await supervisor.prompt("again");
    expect(warningsIn(events)).toEqual([MISSING]);
  });

  test("one of which a rule forbids all tools is reported as that", async () => {
    const { supervisor, events } = supervised("in-thread", () => ({ text: "ok" }), {
      ...{ agents: [kind("reviewer", ["github"])], disallowedTools: ["mcp__github"] },
      mcpServers: { github: server("raw.ts", "plain") },
    });
    await supervisor.prompt("go");
    expect(warningsIn(events)).toEqual([
      'Agents of type reviewer do not get the MCP server "github": a rule forbids all of its tools.',
    ]);
  });

  test("one that is left out is reported as that; one that is still starting is not", async () => {
    const { supervisor, events } = supervised("in-thread", () => ({ text: "ok" }), {
      agents: [kind("reviewer", ["github", "late"])],
      mcpServers: { late: server("raw.ts", "plain") },
      serversLeftOut: { github: "this directory is not trusted" },
      limits: { mcpStartMs: 1 },
    });
    await supervisor.prompt("go");
    expect(warningsIn(events)).toEqual([
      'Agents of type reviewer do not get the MCP server "github": this directory is not trusted.',
    ]);
  });
});

function fail(): never {
  throw new Error("There is no such request.");
}

describe("a tool that does not exist", () => {
  const reviewer = (tools: readonly string[], disallowedTools: readonly string[] = []) =>
    defineAgent({
      ...{ name: "reviewer", whenToUse: "", prompt: "You are reviewer.", tools, disallowedTools },
    });
  const NONE =
    'None of the tools that agents of type reviewer name exists here: "githubRepo", "mcp__none__x". They start without them.';
  const SOME = 'Agents of type reviewer do not get "githubRepo": there is no such tool here.';
  const FORBIDDEN =
    'disallowedTools of agents of type reviewer forbids nothing with "rm_rf": there is no such tool.';

  test.each([
    ["none exists", reviewer(["githubRepo", "mcp__none__x"]), NONE, true],
    ["one does not exist", reviewer(["githubRepo", "codebase"]), SOME, false],
    ["one that is forbidden does not exist", reviewer(["Read"], ["rm_rf", "execute"]), FORBIDDEN, true],
  ])(
    "is reported to the user, to the agent and in the result of its caller if %s",
    async (_, definition, sentence, isGrave) => {
      const { supervisor, model, events } = supervised(
        "in-thread",
        (request, n) => {
          if (!isMain(request)) return { text: "done" };
          return n === 0 ? { text: "hi" } : n === 1 ? { calls: [asks("reviewer")] } : { text: "ok" };
        },
        { agents: [definition] },
      );
      const warned = () => events.filter((event) => event.type === "warning" && event.message === sentence);
      await supervisor.prompt("hello");
      expect(warned()).toHaveLength(isGrave ? 1 : 0);
      await supervisor.prompt("go");
      expect(warned()).toHaveLength(1);
      const mine = model.requests.find((one) => !isMain(one));
      expect(textsOf(mine ?? fail())).toContain(`${sentence} Continue without what is missing`);
      expect(textsOf(model.requests.at(-1) ?? fail())).toContain(sentence);
    },
  );

  test("is not reported if another program's name stands for one that exists", async () => {
    const { supervisor, model, events } = supervised(
      "in-thread",
      (request, n) => {
        if (!isMain(request)) return { text: "done" };
        return n === 0 ? { calls: [asks("reviewer")] } : { text: "ok" };
      },
      { agents: [reviewer(["edit/editFiles", "search"], ["terminal"])] },
    );
    await supervisor.prompt("go");
    expect(events.filter(({ type }) => type === "warning")).toEqual([]);
    const mine = model.requests.find((one) => !isMain(one));
    expect(mine?.tools.map(({ name }) => name)).toEqual(["Write", "Edit", "NotebookEdit", "Glob", "Grep"]);
  });
});
