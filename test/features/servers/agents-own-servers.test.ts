import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentDefinition, defineAgent } from "../../../src/context/agents/definition.ts";
import { restrictUntrusted } from "../../../src/context/agents/load.ts";
import type { SupervisorEvent } from "../../../src/events/event.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { isRunning, server } from "../../mcp/opened-mcp.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { textsOf } from "../../support/texts-of.ts";

const call = (name: string, input: object = {}) => ({ calls: [{ name, input }] });
const isMain = ({ actor }: ModelRequest) => actor === "main";
const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];
const served = (request: ModelRequest | undefined) => names(request).filter((name) => /mcp/i.test(name));
const said = (request: ModelRequest | undefined) => (request === undefined ? "" : textsOf(request));
/** Of an agent whose instructions say so. */
const isOf = (words: string) => (request: ModelRequest) => request.system.join("\n").includes(words);
const warningsIn = (events: readonly SupervisorEvent[]) =>
  events.flatMap((event) => (event.type === "warning" ? [event.message] : []));

const ROLE = "Ask the database.";

/** A kind of agent that brings the server `db`, which notes each of its processes in the file. */
function dba(own: Readonly<Record<string, unknown>>, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return defineAgent({
    ...{ name: "dba", whenToUse: "", prompt: ROLE, tools: ["Read"] },
    mcpServers: { named: [], own },
    ...more,
  });
}

function noting(): { readonly own: Record<string, unknown>; pids(): number[] } {
  const file = join(temporaryFolder(), "started");
  return {
    own: { db: server("raw.ts", "plain", file) },
    pids: () => (existsSync(file) ? (readFileSync(file, "utf8").match(/\d+/g) ?? []).map(Number) : []),
  };
}

const bypass = { permissionMode: "bypassPermissions" } as const;
const asks = (type: string) => ({
  name: "Agent",
  input: { description: type, prompt: "go", subagent_type: type },
});

describe.each(everyDayHosts)("MCP servers that a definition writes out (A11.3, C9), %s", (host) => {
  test("one process for all agents of the type and no others, ended with the last, and again for one that is resumed", {
    tags: ["long"],
  }, async () => {
    const { own, pids } = noting();
    let gone = false;
    const { supervisor, model, events } = supervised(
      host,
      async (request, n) => {
        if (isMain(request)) {
          if (n === 0) return { calls: [asks("dba"), asks("dba"), asks("general-purpose")] };
          if (n > 1) return { text: "ok" };
          await until(() => !pids().some(isRunning));
          gone = true;
          const { id } = supervisor.tree().find(({ type }) => type === "dba") ?? { id: "" };
          return call("Agent", { description: "again", prompt: "once more", resume: id });
        }
        if (served(request).length === 0) return { text: "nothing here" };
        return n % 2 === 0
          ? call("mcp__db__hello")
          : {
              text:
                said(request)
                  .match(/hello from \d+/g)
                  ?.at(-1) ?? "",
            };
      },
      { ...bypass, agents: [dba(own)] },
    );
    await supervisor.prompt("go");
    const reports = supervisor.tree().map(({ type, summary }) => `${type}: ${summary?.text}`);
    const [first, second] = pids();
    expect(pids()).toHaveLength(2);
    expect(gone).toBe(true);
    expect(reports.toSorted()).toEqual(
      [
        "main: ok",
        "general-purpose: nothing here",
        `dba: hello from ${first}`,
        `dba: hello from ${second}`,
      ].toSorted(),
    );
    const others = model.requests.filter((request) => !isOf(ROLE)(request));
    expect(others.flatMap(served)).toEqual([]);
    expect(others.map(said).join()).not.toContain("mcp__db");
    const mine = model.requests.find(isOf(ROLE));
    expect(names(mine)).toEqual([
      "Read",
      ...["broken", "crash", "deep", "flood", "hang", "hello"].map((tool) => `mcp__db__${tool}`),
    ]);
    await until(() => !pids().some(isRunning));
    expect(warningsIn(events).filter((message) => message.includes("MCP"))).toEqual([]);
  });

  test("a server that dies is restarted for its agent; an agent that is stopped leaves none", {
    tags: ["long"],
  }, async () => {
    const { own, pids } = noting();
    const stop = new AbortController();
    const { supervisor, model } = supervised(
      host,
      (_, n) => {
        if (n === 0) return call("mcp__db__crash");
        if (n === 1) return call("mcp__db__hello");
        stop.abort();
        return call("mcp__db__hang");
      },
      { ...bypass, agents: [dba(own)] },
    );
    const { summary } = await supervisor.spawn({ type: "dba", prompt: "go", signal: stop.signal });
    expect(summary.status).toBe("cancelled");
    const [first, second] = pids();
    expect(pids()).toHaveLength(2);
    expect(said(model.requests[1])).toContain(
      "before it answered; it is not known whether the call did its work",
    );
    expect(said(model.requests[2])).toContain(`hello from ${second}`);
    expect(first).not.toBe(second);
    await until(() => !pids().some(isRunning));
  });

  test("a fork has its parent's, in the same process", { tags: ["long"] }, async () => {
    const { own, pids } = noting();
    const { supervisor } = supervised(
      host,
      (request, n) => {
        const last = said(request)
          .match(/hello from \d+/g)
          ?.at(-1);
        if (last !== undefined) return { text: last };
        if (said(request).includes("You are a fork")) return call("mcp__db__hello");
        return n === 0
          ? call("Agent", {
              ...{ description: "half", prompt: "ask", subagent_type: "fork" },
              run_in_background: false,
            })
          : { text: "the fork said nothing" };
      },
      { ...bypass, agents: [dba(own, { tools: ["Read", "Agent"] })], limits: { maxDepth: 3 } },
    );
    const { summary } = await supervisor.spawn({ type: "dba", prompt: "go" });
    expect(pids()).toHaveLength(1);
    expect(summary.text).toBe(`hello from ${pids()[0]}`);
  });
});

describe("servers of agents that are not started", () => {
  test("what is not trusted, not allowed, not readable or has another's name: the agent gets a notice, the user one", {
    tags: ["long"],
  }, async () => {
    const { own, pids } = noting();
    const entry = own["db"];
    const project = { scope: "project", file: "/p/.claude/agents/dba.md" } as const;
    const { supervisor, model, events } = supervised("in-thread", () => ({ text: "done" }), {
      mcpServers: { shared: server("good.ts") },
      rules: [{ text: "mcp__secret", behaviour: "deny", scope: "user", file: "/u/settings.json" }],
      agents: [
        restrictUntrusted(dba(own, { name: "untrusted", source: project }), () => false),
        dba(
          { secret: entry, unset: { command: ["$", "{NOT_SET_ANYWHERE}"].join("") }, shared: entry },
          { name: "refused" },
        ),
        dba({ twin: { command: "one" } }, { name: "first", disallowedTools: ["Read"] }),
        dba({ twin: { command: "other" } }, { name: "second" }),
      ],
    });
    await supervisor.spawn({ type: "untrusted", prompt: "go" });
    for (const _ of [1, 2]) await supervisor.spawn({ type: "refused", prompt: "go" });
    await supervisor.spawn({ type: "second", prompt: "go" });
    expect(pids()).toEqual([]);
    const [untrusted, refused, again, second] = model.requests;
    expect(names(untrusted)).toEqual(["Read"]);
    for (const told of [refused, again].map(said)) {
      expect(told).toContain(
        '"secret" of the agent refused is not started: a rule forbids all of its tools.',
      );
      expect(told).toContain('"unset" of the agent refused is not started: the variable NOT_SET_ANYWHERE');
      expect(told).toContain(
        '"shared" of the agent refused is not started: "shared" of the option mcpServers runs and has its name',
      );
    }
    // By its name it has the session's.
    expect(served(refused)).toContain("mcp__shared__echo");
    expect(said(second)).toContain(
      '"twin" of the agent second is not started: "twin" of the agent first has its name',
    );
    const warnings = warningsIn(events).filter((message) => message.includes("not started"));
    expect(warnings).toHaveLength(4);
  });

  test("one that fails: its agents continue with a notice, and the user gets one", async () => {
    const { supervisor, model, events } = supervised("in-thread", () => ({ text: "did without" }), {
      agents: [dba({ gone: { command: "no-such-program-here" } })],
    });
    for (const _ of [1, 2])
      expect((await supervisor.spawn({ type: "dba", prompt: "go" })).summary.status).toBe("done");
    for (const request of model.requests) {
      expect(said(request)).toContain('The MCP server "gone" did not start');
      expect(said(request)).toContain("Continue without what is missing");
    }
    expect(warningsIn(events)).toEqual([expect.stringContaining("there is no program no-such-program-here")]);
  });
});

test("how many agents one may start is counted after the wait for their servers, too", {
  tags: ["long"],
}, async () => {
  const { supervisor } = supervised(
    "in-thread",
    (request, n) => (isMain(request) && n === 0 ? { calls: [asks("dba"), asks("dba")] } : { text: "ok" }),
    { agents: [dba({ gone: { command: "no-such-program-here" } })], limits: { maxChildren: 1 } },
  );
  await supervisor.prompt("go");
  expect(supervisor.tree().map(({ type }) => type)).toEqual(["main", "dba"]);
});

describe.each(everyDayHosts)("servers that are late, %s", (host) => {
  test("an agent starts without its own, gets a notice, finds its tools when it runs, and still after a crash", {
    tags: ["long"],
  }, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const options = {
      ...bypass,
      agents: [dba({ late: server("answering.ts", folder) })],
      limits: { mcpStartMs: 0 },
    };
    const reached = Promise.withResolvers<void>();
    const first = supervised(
      host,
      async (request, n) => {
        if (isMain(request)) return { calls: [asks("dba")] };
        if (n === 0) {
          rmSync(join(folder, "wait"));
          await until(() =>
            warningsIn(first.events).some((message) => message.includes('"late" has started')),
          );
          return call("Read", { file_path: "nothing" });
        }
        if (n === 1) return call("ToolSearch", { query: "+late hello" });
        if (n === 2) return call("UseTool", { tool: "mcp__late__hello" });
        reached.resolve();
        return { text: "never", after: new Promise(() => {}) };
      },
      options,
    );
    void first.supervisor.prompt("go");
    await reached.promise;
    const below = first.model.requests.filter((request) => !isMain(request));
    expect(names(below[0])).toEqual(["Read", "ToolSearch", "UseTool"]);
    expect(said(below[0])).toContain('The MCP server "late" is still starting');
    expect(said(below[1])).toContain(
      "It has tools now that were not there before: mcp__late__decide, mcp__late__hello.",
    );
    expect(said(below[2])).toContain('{"name":"mcp__late__hello"');
    expect(said(below[3])).toMatch(/UseTool[\s\S]*hello/);
    expect(new Set(below.map((request) => JSON.stringify([request.tools, request.system]))).size).toBe(1);
    first.supervisor.detach("The session was left.");
    await first.supervisor.close();

    const restoring = await resumeSession({ home: first.home, cwd: first.cwd, session: "latest" });
    if (restoring.type === "refused") throw new Error(restoring.reason);
    const { supervisor, model } = supervised(
      host,
      (request, n) => {
        if (isMain(request)) return { text: "all done" };
        return n === 0 ? call("UseTool", { tool: "mcp__late__hello" }) : { text: "found again" };
      },
      { ...options, resume: restoring.session, cwd: first.cwd, home: first.home },
    );
    expect((await supervisor.resumeUnfinished())?.summary.text).toBe("all done");
    const after = model.requests.filter((request) => !isMain(request));
    expect(names(after[0])).toEqual(["Read", "ToolSearch", "UseTool"]);
    expect(after[1]?.messages.at(-1)?.content[0]).toMatchObject({ type: "tool_result", content: "hello" });
    expect(supervisor.tree().map(({ summary }) => summary?.text)).toContain("found again");
  });

  test("A3.31: tools of the session's are found by all that run, the main conversation and agents that may have them", {
    tags: ["long"],
  }, async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "wait"), "");
    const started = () => warningsIn(events).some((message) => message.includes('"late" has started'));
    const reader = defineAgent({ name: "reader", whenToUse: "", prompt: "Only read.", tools: ["Read"] });
    const { supervisor, model, events } = supervised(
      host,
      async (request, n) => {
        if (isMain(request)) {
          if (n === 0) return { calls: [asks("general-purpose"), asks("reader")] };
          if (n === 1) return call("UseTool", { tool: "mcp__late__hello" });
          return { text: "ok" };
        }
        if (n === 0) {
          rmSync(join(folder, "wait"), { force: true });
          await until(started);
          return call("Read", { file_path: "nothing" });
        }
        if (n > 1 || !names(request).includes("ToolSearch")) return { text: "done" };
        return call("UseTool", { tool: "mcp__late__hello" });
      },
      {
        ...bypass,
        agents: [reader],
        mcpServers: { late: server("answering.ts", folder) },
        limits: { mcpStartMs: 0 },
      },
    );
    await supervisor.prompt("go");
    const results = model.requests.flatMap(
      ({ messages }) => JSON.stringify(messages).match(/"content":"hello"/g) ?? [],
    );
    expect(results.length).toBeGreaterThanOrEqual(2);
    const readers = model.requests.filter(isOf("Only read."));
    expect(readers).toHaveLength(2);
    expect(readers.map(said).join()).not.toContain("mcp__late");
    expect(supervisor.usage().agents.find(({ type }) => type === "main")?.summary?.receipts.tools).toEqual({
      ...{ Agent: 2, mcp__late__hello: 1 },
    });
  });
});

/** Waits for something that has no event of its own, in turns of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
