// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { agentsIn, loaded, places, simple } from "../../context/agents/agent-files.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

type Script = (request: ModelRequest, said: string) => ScriptedTurn;

/** A session in whose folder one file defines agents of the type `helper`. */
async function withFile(
  host: (typeof everyDayHosts)[number],
  text: string,
  script: Script,
  options: Partial<SupervisorOptions> = {},
) {
  const here = places();
  agentsIn(here.project, { "helper.md": text });
  const { agents, problems } = await loaded(here);
  expect(problems).toEqual([]);
  return supervised(host, (request) => script(request, textsOf(request)), { agents, ...options });
}

const done: Script = () => ({ text: "done" });
const toolsOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);
const helper = (header: string) => simple("helper", header);

describe.each(everyDayHosts)("what a file says of an agent is what the agent gets, on %s", (host) => {
  test("its prompt is its role, and its name and description are in the list (A4.16)", async () => {
    const { supervisor, model } = await withFile(host, simple("helper", "", "You speak in rhymes."), done);
    await supervisor.spawn({ type: "Helper", prompt: "Go." });
    expect(model.requests[0]?.system.join("\n")).toContain("You speak in rhymes.");
    await supervisor.prompt("Hello.");
    const agentTool = model.requests[1]?.tools.find(({ name }) => name === "Agent");
    expect(agentTool?.description).toContain("- helper: It is helper. (Tools: Read, ");
  });

  test.each([
    ["tools: Read, Grep, WebFetch, WebBrowse\n", ["Read", "Grep", "WebFetch"]],
    ["tools: []\n", []],
    ["tools: Read, Bash(git log:*), Agent(Explore)\n", ["Agent", "Read", "Bash"]],
    ["tools: Read, Write, Edit\ndisallowedTools: Write, Edit\n", ["Read"]],
  ])("its tools, by %j", async (header, tools) => {
    const here = places();
    agentsIn(here.project, { "helper.md": helper(header) });
    const { agents } = await loaded(here);
    const { supervisor, model } = supervised(host, () => ({ text: "done" }), { agents });
    await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(toolsOf(model.requests[0])?.sort()).toEqual([...tools].sort());
  });

  test("the tools of servers that it names and those it lists, and no others", async () => {
    const here = places();
    const header = "tools: Read\nmcpServers:\n  - good one\n  - missing\n";
    agentsIn(here.project, { "helper.md": helper(header) });
    const { agents } = await loaded(here);
    const tool = (name: string) =>
      defineTool({
        runsIn: "caller",
        name,
        description: "",
        inputSchema: z.object({}),
        permissionLevel: "read",
        call: async () => "",
      });
    const tools = [tool("mcp__good_one__search"), tool("mcp__other__search")];
    const { supervisor, model } = supervised(host, () => ({ text: "done" }), { agents, tools });
    await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(toolsOf(model.requests[0])).toEqual(["Read", "mcp__good_one__search"]);
  });

  test("its model: the call's before the definition's before the session's; inherit is the session's (A11.4)", async () => {
    const { supervisor, model } = await withFile(host, helper("model: haiku\n"), done, { model: "opus" });
    await supervisor.spawn({ type: "helper", prompt: "Go." });
    await supervisor.spawn({ type: "helper", prompt: "Go.", model: "sonnet" });
    const inheriting = await withFile(host, helper("model: inherit\n"), done, { model: "opus" });
    await inheriting.supervisor.spawn({ type: "helper", prompt: "Go." });
    const models = [...model.requests, ...inheriting.model.requests].map((request) => request.model);
    expect(models).toEqual([
      expect.stringContaining("haiku"),
      expect.stringContaining("sonnet"),
      expect.stringContaining("opus"),
    ]);
  });

  test("its turns", async () => {
    const look = { calls: [{ name: "Glob", input: { pattern: "*" } }] };
    const { supervisor, model } = await withFile(host, helper("maxTurns: 2\n"), ({ withoutTools }) =>
      withoutTools ? { text: "cut" } : look,
    );
    const { summary } = await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(summary).toMatchObject({ status: "out_of_turns", text: "cut", turns: 3 });
    expect(model.requests).toHaveLength(3);
  });

  test("its background flag, and the data it answers with", async () => {
    const header = "background: true\noutput_schema:\n  type: object\n  required: [n]\n";
    const { supervisor, model } = await withFile(host, helper(header), ({ actor, messages }, said) => {
      if (actor !== "main") return { text: '{"n": 1}' };
      if (messages.length > 1) return { text: said.includes("fits") ? "heard" : "waiting" };
      const input = { description: "d", prompt: "p", subagent_type: "helper" };
      return { calls: [{ name: "Agent", input }] };
    });
    await supervisor.prompt("Go.");
    expect(JSON.stringify(model.requests.map(textsOf))).toContain("works in the background");
    expect(supervisor.tree()[1]?.summary).toMatchObject({ status: "done", output: { n: 1 } });
  });

  test("its own worktree, from which its edits are merged", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ "a.txt": "a\n" });
    const script: Script = ({ system }, said) => {
      if (said.includes("was created")) return { text: "Written." };
      const root = /Working directory: (.+)/.exec(system.join("\n"))?.[1] ?? "";
      expect(root).toContain(join(".claude", "worktrees"));
      return { calls: [{ name: "Write", input: { file_path: join(root, "new.txt"), content: "new\n" } }] };
    };
    const { supervisor } = await withFile(host, helper("isolation: worktree\n"), script, {
      cwd: repository.folder,
      permissionMode: "acceptEdits",
    });
    const { summary } = await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(summary.worktree).toMatchObject({ outcome: "merged", files: 1 });
    expect(readFileSync(join(repository.folder, "new.txt"), "utf8")).toBe("new\n");
  });

  const writes: Script = ({ system, messages }, said) => {
    if (messages.length > 1) return { text: said.includes("was created") ? "could" : "could not" };
    const root = /Working directory: (.+)/.exec(system.join("\n"))?.[1] ?? "";
    return { calls: [{ name: "Write", input: { file_path: join(root, "new.txt"), content: "x" } }] };
  };

  test.each([
    ["plan", "acceptEdits", "could not"],
    ["default", "acceptEdits", "could not"],
    ["acceptEdits", "acceptEdits", "could"],
    ["bypassPermissions", "default", "could not"],
    ["acceptEdits", "default", "could not"],
  ] as const)(
    "its mode %s in a session of mode %s only narrows: it %s write",
    async (own, session, answer) => {
      const { supervisor } = await withFile(host, helper(`permissionMode: ${own}\n`), writes, {
        permissionMode: session,
      });
      const { summary } = await supervisor.spawn({ type: "helper", prompt: "Go." });
      expect(summary.text).toBe(answer);
    },
  );

  test("an agent that it starts is held to its mode, too", async () => {
    const { supervisor } = await withFile(
      host,
      helper("permissionMode: plan\n"),
      (request, said) => {
        if (request.system.join("\n").includes("You are helper.")) {
          if (said.includes("ended:")) return { text: /could( not)?/.exec(said)?.[0] ?? "?" };
          const input = { description: "d", prompt: "p", subagent_type: "general-purpose" };
          return { calls: [{ name: "Agent", input }] };
        }
        return writes(request, said);
      },
      { permissionMode: "acceptEdits" },
    );
    const { summary } = await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(summary.text).toBe("could not");
  });

  test("the agents it may start, and no others", async () => {
    const start = (kind: string) => ({
      calls: [{ name: "Agent", input: { description: "d", prompt: "p", subagent_type: kind } }],
    });
    const { supervisor } = await withFile(
      host,
      helper("tools: Agent(explore)\n"),
      ({ system, messages }, said) => {
        if (!system.join("\n").includes("You are helper.")) return { text: "explored" };
        if (messages.length === 1) return start("Plan");
        if (messages.length === 3) return start("Explore");
        return { text: said };
      },
    );
    const { summary } = await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(summary.text).toContain("An agent of type helper may start explore only.");
    expect(summary.text).toContain("explored");
  });

  test("its hooks run for its own calls and end, and for no other agent", async () => {
    const header = `hooks:
  PreToolUse:
    - matcher: Glob
      hooks: [{ type: command, command: "echo no globs >&2; exit 2" }]
  Stop:
    - hooks: [{ type: command, command: "echo checked by the hook" }]
`;
    const { supervisor } = await withFile(host, helper(header), ({ messages }, said) =>
      messages.length > 1
        ? { text: said.includes("no globs") ? "stopped" : "went on" }
        : { calls: [{ name: "Glob", input: { pattern: "*" } }] },
    );
    const own = await supervisor.spawn({ type: "helper", prompt: "Go." });
    expect(own.summary.text).toBe("stopped\n\nchecked by the hook");
    const other = await supervisor.spawn({ type: "Explore", prompt: "Go." });
    expect(other.summary.text).toBe("went on");
  });

  test("a built-in's name is its own to take", async () => {
    const { supervisor, model } = await withFile(host, simple("Code Reviewer", "", "Mine."), done);
    await supervisor.spawn({ type: "code-reviewer", prompt: "Go." });
    expect(model.requests[0]?.system.join("\n")).toContain("Mine.");
  });
});

describe("the seven built-in types (A11.2)", () => {
  test.each([
    ["explore", "Explore"],
    ["PLAN", "Plan"],
    ["general purpose", "general-purpose"],
    ["codeReviewer", "code-reviewer"],
    ["reviewer", "code-reviewer"],
    ["security_audit", "security-audit"],
    ["Claude Code Guide", "claude-code-guide"],
  ])("%s is %s", async (name, type) => {
    const { supervisor } = supervised("in-thread", [{ text: "done" }]);
    expect((await supervisor.spawn({ type: name, prompt: "Go." })).type).toBe(type);
  });

  test("an unknown one is an error that names them", async () => {
    const { supervisor } = supervised("in-thread", []);
    await expect(supervisor.spawn({ type: "nobody", prompt: "Go." })).rejects.toThrow(
      'There is no agent type "nobody". Available: Explore, Plan, code-reviewer, security-audit, general-purpose, claude-code-guide.',
    );
  });
});
