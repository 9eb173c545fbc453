import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { lazyRuntime } from "../../src/cli/runtime.ts";
import type { AgentDefinition } from "../../src/context/agents/definition.ts";
import type { ListedAgent } from "../../src/features/agents/listing.ts";
import { agentsIn, places, simple } from "../context/agents/agent-files.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

class ListingRuntime extends FakeRuntime {
  override listAgents(own?: readonly AgentDefinition[]): Promise<readonly ListedAgent[]> {
    return lazyRuntime.listAgents(own);
  }
}

function here() {
  const { project, homedir } = places();
  const run = async (...argv: string[]) => {
    const io = new FakeIO({ cwd: project, homedir, env: { TROUPE_HOME: join(homedir, ".troupe") } });
    const runtime = new ListingRuntime();
    const code = await main(argv, io, runtime);
    return { code, out: io.out.text, err: io.err.text, runtime };
  };
  return { project, homedir, run };
}

describe("troupe agents", () => {
  test("lists agents of files with what sets them apart and where they are defined, and what is wrong", async () => {
    const { project, homedir, run } = here();
    agentsIn(project, {
      "dba.md": simple("dba", "tools: Read, WebBrowse\nmodel: opus\nisolation: worktree\nmaxTurns: 9\n"),
      "broken.md": "no front matter",
    });
    agentsIn(homedir, { "dba.md": simple("dba"), "mine.md": simple("mine", "maxTurns: x\n") });
    const { code, out, err } = await run("agents", "--trust");
    expect(code).toBe(0);
    expect(out).toContain(
      [
        "dba",
        "  It is dba.",
        "  tools: Read",
        "  tools that do not exist here: WebBrowse",
        "  model: opus",
        "  with: a worktree of its own, 9 turns",
        `  from ${project}/.claude/agents/dba.md`,
        "",
      ].join("\n"),
    );
    expect(out).toContain("Explore\n");
    expect(err.split("\n")).toEqual([
      `${project}/.claude/agents/broken.md:1 The file does not begin with front matter, so it defines no agent; begin it with a name and a description between two lines of ---.`,
      `${homedir}/.claude/agents/mine.md:4 maxTurns must be a whole number from 1 to 100000; it does not count.`,
      "",
    ]);
    const told = JSON.parse((await run("agents", "--json", "--trust")).out);
    expect(told.agents.find(({ name }: { name: string }) => name === "dba")).toMatchObject({
      source: { scope: "project", file: `${project}/.claude/agents/dba.md` },
      unknownTools: ["WebBrowse"],
    });
    expect(told.agents[0]).toMatchObject({ name: "Explore", source: { scope: "built-in" } });
    expect(told.problems).toHaveLength(2);
    expect(told.replaced).toMatchObject([{ name: "dba", source: { scope: "user" } }]);
  });

  test("what an untrusted folder's agents may not do is said, until it is trusted", async () => {
    const { project, run } = here();
    agentsIn(project, { "a.md": simple("a", "permissionMode: bypassPermissions\n") });
    expect((await run("agents")).err).toMatch(
      /^This directory is not trusted, .*: a \(permissionMode bypassPermissions\)/,
    );
    const trusted = await run("agents", "--trust");
    expect(trusted.err).toBe("");
    expect(trusted.out).toContain("  with: permission mode bypassPermissions at most\n");
  });

  test("MCP servers that an agent names and does not get are said, with the reason", async () => {
    const { project, run } = here();
    agentsIn(project, {
      "dba.md": simple("dba", "mcpServers: [github, tracker, off, wrong, given]\n"),
      "fine.md": simple("fine", "mcpServers: [given]\n"),
    });
    const entry = { command: "it" };
    const servers = { tracker: entry, off: { ...entry, disabled: true }, wrong: {}, gitlab: entry };
    writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const given = ["--mcp-config", JSON.stringify({ mcpServers: { given: entry } })];
    const lost = (...reasons: string[]) =>
      reasons.map((reason) => `  MCP server that it does not get: ${reason}\n`).join("");
    const off = "this directory is not trusted; --trust starts it this time";
    const { out, code } = await run("agents", ...given);
    expect(code).toBe(0);
    expect(out).toContain(
      `\n${lost("github (there is no server of this name; near it: gitlab)", `tracker (${off})`, `off (${off})`, `wrong (${off})`)}  model: the session's\n  from`,
    );
    const trusted = await run("agents", "--trust", ...given);
    expect(trusted.out).toContain(
      `\n${lost("github (there is no server of this name; near it: gitlab)", "off (its entry disables it)", "wrong (its entry cannot be used)")}  model: the session's\n  from`,
    );
    const { agents } = JSON.parse((await run("agents", "--json", "--trust", ...given)).out);
    const named = (wanted: string) => agents.find(({ name }: { name: string }) => name === wanted);
    expect(named("dba").missingServers).toContainEqual({
      ...{ name: "off", reason: "its entry disables it" },
    });
    expect(named("fine")).not.toHaveProperty("missingServers");
  });

  test("a file cannot write to the terminal", async () => {
    const { project, run } = here();
    agentsIn(project, {
      "a.md":
        '---\nname: "a\\e]0;x\\a"\ndescription: "\\e[2Jgone"\ntools: ["\\e[1mRead"]\nmcpServers: ["\\e[1mx"]\n---\nP',
    });
    const { out, err } = await run("agents");
    expect(`${out}${err}`.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });
});

describe("--agents", () => {
  const json = JSON.stringify({ quick: { description: "Is quick.", prompt: "Be quick.", model: "haiku" } });

  test("takes JSON or a file, in troupe agents and in a session", async () => {
    const { project, run } = here();
    expect((await run("agents", "--agents", json)).out).toContain("quick\n  Is quick.\n");
    writeFileSync(join(project, "agents.json"), json);
    const { code, runtime } = await run("-p", "hi", "--offline", "--agents", "agents.json");
    expect(code).toBe(0);
    expect(runtime.only.options.agents).toMatchObject([
      { name: "quick", prompt: "Be quick.", model: "haiku" },
    ]);
  });

  test("a file as editors of Windows save it is read", async () => {
    const { project, run } = here();
    writeFileSync(join(project, "agents.json"), `\uFEFF${json}\r\n`);
    expect((await run("agents", "--agents", "agents.json")).out).toContain("quick\n  Is quick.\n");
  });

  test("reports two equal names; the first one wins", async () => {
    const { run } = here();
    const entry = (prompt: string) => ({ description: `${prompt}.`, prompt });
    const both = JSON.stringify({ "quick-look": entry("First"), "Quick Look": entry("Second") });
    const { out, err } = await run("agents", "--agents", both);
    expect(out).toContain("quick-look\n  First.\n");
    expect(out).not.toContain("Second.");
    expect(err).toContain(
      "--agents, Quick Look: There is an agent quick-look already; this one is not used. Give one of them another name.",
    );
  });

  test.each([
    ["{", /^troupe: --agents: "\{" is not valid JSON/],
    ["[]", /^troupe: --agents: give an object of agents by name/],
    ["nowhere.json", /^troupe: --agents: "nowhere\.json" is neither JSON nor a file/],
    ["package.json", /is neither JSON nor a file/],
  ])("%s is wrong usage", async (given, sentence) => {
    const { run } = here();
    const { code, err } = await run("-p", "hi", "--offline", "--agents", given);
    expect(code).toBe(2);
    expect(err).toMatch(sentence);
  });
});

describe("sessions", () => {
  test("have the agents of files; what is wrong is noted, three of them and how many more", async () => {
    const { project, run } = here();
    const broken = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`x${n}.md`, "nothing"]));
    agentsIn(project, { "dba.md": simple("dba"), ...broken });
    const { code, err, runtime } = await run("-p", "hi", "--offline");
    expect(code).toBe(0);
    expect(runtime.only.options.agents).toMatchObject([{ name: "dba" }]);
    expect(err.match(/defines no agent/g)).toHaveLength(3);
    expect(err).toContain("2 more of this kind; troupe agents lists all of them.\n");
  });

  test("troupe fanout takes them by name", async () => {
    const { project, run } = here();
    agentsIn(project, { "dba.md": simple("Data Base Admin") });
    const { code, runtime } = await run("fanout", "--agent", "database-admin", "task", "--offline");
    expect(code).toBe(0);
    expect(runtime.only.spawns).toMatchObject([{ type: "Data Base Admin" }]);
    expect((await run("fanout", "--agent", "nobody", "task", "--offline")).err).toContain("Data Base Admin");
  });
});
