import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { UserAnswer, UserRequest } from "../../../src/policy/user-requests.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { children, server } from "../../mcp/opened-mcp.ts";
import { ECHO_SCHEMA } from "../../mcp/servers/good-server.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const good = { good: server("good.ts") };
const rule = (behaviour: Rule["behaviour"], text: string): Rule => ({
  ...{ text, behaviour, scope: "user", file: "/u/settings.json" },
});
const call = (name: string, input: object = {}) => ({ calls: [{ name, input }] });
const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const served = (request: ModelRequest | undefined) =>
  names(request).filter((name) => name.startsWith("mcp__"));

/** The results that the model reads in its last message. */
function resultsIn(request: ModelRequest | undefined): string[] {
  const content = request?.messages.at(-1)?.content;
  if (typeof content === "string" || content === undefined) return [];
  return content.flatMap((block) =>
    block.type === "tool_result"
      ? [typeof block.content === "string" ? block.content : JSON.stringify(block.content)]
      : [],
  );
}

function answering(answer: (ask: UserRequest) => UserAnswer) {
  const asks: UserRequest[] = [];
  const person = {
    async ask(ask: UserRequest) {
      asks.push(ask);
      return answer(ask);
    },
  };
  return { person, asks };
}

describe.each(shippedHosts)("the tools of MCP servers, %s", (host) => {
  test("A17.5, C9: they are in the first request as they came, and all agents share one server", {
    tags: ["long"],
  }, async () => {
    const before = children();
    const { supervisor, model, events } = supervised(
      host,
      (request, n) => {
        if (request.actor === "main" && n === 0)
          return call("Agent", { description: "echo", prompt: "echo", subagent_type: "general-purpose" });
        if (request.actor !== "main" && n === 0) return call("mcp__good__echo", { text: "from below" });
        if (request.actor === "main" && n === 1) return call("mcp__good__echo", { text: "from above" });
        return { text: "ok" };
      },
      { mcpServers: good, rules: [rule("allow", "mcp__good")] },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    const [first, below] = model.requests;
    const echo = first?.tools.find(({ name }) => name === "mcp__good__echo");
    expect(echo?.input_schema).toEqual(ECHO_SCHEMA);
    expect(names(first)).toContain("ListMcpResources");
    expect(served(below)).toEqual(served(first));
    const results = model.requests.flatMap(resultsIn);
    expect(results.filter((text) => text.startsWith("from "))).toEqual(["from below", "from above"]);
    expect(events.filter(({ type }) => type === "warning")).toEqual([]);
    // The broker, and nothing else that was not there before but the process host.
    expect(children().length - before.length).toBeLessThanOrEqual(2);
    await supervisor.close();
    expect(children()).toEqual(before);
  });
});

describe("the gate and hooks, over tools of MCP servers", () => {
  const host = "in-thread";

  test("a rule denies, asks or allows, of a server or of one tool (semantics §8)", {
    tags: ["long"],
  }, async () => {
    const { person, asks } = answering(() => ({ type: "deny", span: "once", message: "Not now." }));
    const { supervisor, model } = supervised(
      host,
      [
        call("mcp__good__echo", { text: "a" }),
        call("mcp__good__fails"),
        call("mcp__good__env"),
        { text: "ok" },
      ],
      {
        ...{ person, mcpServers: { ...good, other: server("good.ts") } },
        rules: [
          rule("allow", "mcp__good__echo"),
          rule("ask", "mcp__good__fails"),
          rule("deny", "mcp__other__*"),
          rule("deny", "mcp__good__picture"),
        ],
      },
    );
    await supervisor.prompt("go");
    expect(served(model.requests[0])).toContain("mcp__good__env");
    expect(served(model.requests[0]).filter((name) => /__other__|picture/.test(name))).toEqual([]);
    expect(resultsIn(model.requests[1])).toEqual(["a"]);
    expect(asks.map((ask) => ask.type === "permission" && ask.tool)).toEqual([
      "mcp__good__fails",
      "mcp__good__env",
    ]);
    expect(asks[0]).toMatchObject({ reason: expect.stringContaining("mcp__good__fails") });
    expect(resultsIn(model.requests[2])[0]).toContain("Not now.");
    expect(supervisor.usage().denials.map(({ tool_name }) => tool_name)).toEqual([
      "mcp__good__fails",
      "mcp__good__env",
    ]);
  });

  test("hooks see them by name, and what one rewrites is checked against the server's schema (A5.5)", {
    tags: ["long"],
  }, async () => {
    const rewrite = `echo '${JSON.stringify({
      hookSpecificOutput: {
        ...{ hookEventName: "PreToolUse", permissionDecision: "allow" },
        updatedInput: { text: "rewritten" },
      },
    })}'`;
    const value = {
      PreToolUse: [{ matcher: "mcp__good__.*", hooks: [{ type: "command", command: rewrite }] }],
    };
    const { supervisor, model } = supervised(
      host,
      [call("mcp__good__echo", { text: "as written" }), { text: "ok" }],
      { mcpServers: good, hooks: [{ scope: "user", file: "/u/settings.json", value }] },
    );
    await supervisor.prompt("go");
    expect(resultsIn(model.requests[1])).toEqual(["rewritten"]);
  });
});

describe("servers that start, come and go", () => {
  test("A17.5: one that fails is named once and keeps nothing; one that is late is announced, without a turn for it", {
    tags: ["long"],
  }, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const { supervisor, model, events } = supervised(
      "in-thread",
      (request, n) => {
        if (request.actor !== "main") return { text: "seen" };
        if (n === 0) return { text: "first" };
        if (n === 1) return call("Bash", { command: "pwd" });
        if (n === 2)
          return call("Agent", { description: "a", prompt: "b", subagent_type: "general-purpose" });
        return { text: "second" };
      },
      {
        mcpServers: { late: server("answering.ts", folder), broken: { command: "no-such-program-here" } },
        limits: { mcpStartMs: 1_500 },
        background: "wake",
      },
    );
    await supervisor.prompt("one");
    expect(served(model.requests[0])).toEqual([]);
    // On a busy machine the one that fails is starting still, too.
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(
      /These MCP servers are still starting, so their tools are not available yet: late(?:, broken)?\./,
    );
    const warnings = () => events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(warnings().filter((message) => /"late".* still starting/.test(message))).toHaveLength(1);
    // On a busy machine that may take longer than the first request waits.
    const failed = () =>
      warnings().filter((message) => message.includes('"broken"') && !message.includes("still starting"));
    await until(() => failed().length > 0);
    expect(failed()).toHaveLength(1);
    rmSync(join(folder, "wait"));
    await until(() => warnings().some((message) => message.includes('"late" has started')));
    expect(model.requests).toHaveLength(1);
    await supervisor.prompt("two");
    const told = JSON.stringify(model.requests.filter(({ actor }) => actor === "main").at(-1)?.messages);
    expect(told).toContain("About the MCP server late");
    expect(told.split("mcp__late__hello")).toHaveLength(2);
    const agent = model.requests.find(({ actor }) => actor !== "main");
    expect(JSON.stringify(agent?.messages)).not.toContain("Still starting");
    expect(served(agent)).toEqual(["mcp__late__decide", "mcp__late__hello"]);
    const main = model.requests.filter(({ actor }) => actor === "main");
    expect(main.every((request) => served(request).length === 0)).toBe(true);
  });

  test("a resumed session calls what it was offered, also of a server that is still starting", {
    tags: ["long"],
  }, async () => {
    const folder = temporaryFolder();
    const mcpServers = { late: server("answering.ts", folder) };
    const own = { mcpServers, allowedTools: ["mcp__late"] };
    const first = supervised("in-thread", [{ text: "ok" }], own);
    await first.supervisor.prompt("one");
    await first.supervisor.close();
    writeFileSync(join(folder, "wait"), "");
    const restoring = await resumeSession({ home: first.home, cwd: first.cwd, session: "latest" });
    if (restoring.type === "refused") throw new Error(restoring.reason);
    const script = [
      { ...call("mcp__late__hello"), after: async () => rmSync(join(folder, "wait")) },
      { text: "ok" },
    ];
    const { supervisor, model } = supervised("in-thread", script, {
      ...{ ...own, resume: restoring.session, cwd: first.cwd, home: first.home },
      limits: { mcpStartMs: 0 },
    });
    await supervisor.prompt("two");
    expect(resultsIn(model.requests[1])).toEqual(["hello"]);
    await supervisor.close();
    // And without its server: an error that says so.
    const again = await resumeSession({ home: first.home, cwd: first.cwd, session: "latest" });
    if (again.type === "refused") throw new Error(again.reason);
    const without = supervised("in-thread", [call("mcp__late__hello"), { text: "ok" }], {
      ...{ ...own, mcpServers: {}, resume: again.session, cwd: first.cwd, home: first.home },
    });
    await without.supervisor.prompt("three");
    expect(resultsIn(without.model.requests[1])[0]).toContain("mcp__late__hello");
  });
});

/** Waits for something that has no event of its own, in turns of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
