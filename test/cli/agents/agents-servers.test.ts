import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentListing, secretsOfAgents, sessionAgents } from "../../../src/cli/agents/session-agents.ts";
import { main } from "../../../src/cli/main.ts";
import { defineAgent } from "../../../src/context/agents/definition.ts";
import { listAgents } from "../../../src/features/agents/listing.ts";
import { foldersWith } from "../../settings/folders.ts";
import { FakeIO } from "../fake-io.ts";
import { FakeRuntime } from "../fake-session.ts";

const own = {
  db: { command: "db", env: { DB_PASSWORD: "a-long-password", DB_HOST: "example" } },
  api: { url: "https://example.org/mcp", headers: { Authorization: `Bearer ${"$"}{API_KEY}` } },
};
const dba = defineAgent({
  ...{ name: "dba", whenToUse: "", prompt: "p", tools: ["Read"] },
  mcpServers: { named: ["shared"], own },
});
const reader = defineAgent({ name: "reader", whenToUse: "", prompt: "p", tools: ["Read"] });

test("--strict-mcp-config: no agent has servers of its own, not even one whose file changes later", async () => {
  const looks = [
    { agents: [dba, reader], problems: [], shadowed: [], inert: null },
    { agents: [dba], problems: [], shadowed: [], inert: null },
  ];
  let look = 0;
  const library = { look: async () => looks[look] as never, grants: async () => [] };
  const strict = await sessionAgents(library, { withServers: false });
  const bare = { ...dba, mcpServers: { named: ["shared"], own: {} } };
  expect(strict.agents).toEqual([bare, reader]);
  expect(await strict.agentsNow()).toBeNull();
  look = 1;
  expect(await strict.agentsNow()).toEqual({ agents: [bare], notes: [] });
});

test("what their servers are given, by its name a secret, is taken out of journals", async () => {
  const secrets = await secretsOfAgents([dba, reader], { API_KEY: "0a1b2c3d4e5f6071" });
  expect(secrets).toEqual(["a-long-password", "0a1b2c3d4e5f6071"]);
  expect(await secretsOfAgents([reader], {})).toEqual([]);
});

test("lists of agents say which bring servers", () => {
  const traits = (name: string) => listAgents([dba, reader]).find((one) => one.name === name)?.traits;
  expect(traits("dba")).toEqual(["its own MCP servers db, api"]);
  expect(traits("reader")).toBeUndefined();
});

describe("servers that a session leaves out are known to it, with the reason", () => {
  const entry = { command: "it" };
  const project = { mcpServers: { tracker: entry, unwanted: entry } };
  const user = { mcpServers: { wiki: entry }, disabledMcpjsonServers: ["unwanted"] };

  test.each([
    [[], { tracker: "this directory is not trusted; --trust starts it this time" }, ["wiki"]],
    [["--trust"], { unwanted: "settings disable it (disabledMcpjsonServers)" }, ["wiki", "tracker"]],
    [["--strict-mcp-config"], { wiki: "--strict-mcp-config leaves it out" }, []],
  ])("%j", async (flags, leftOut, started) => {
    const folders = foldersWith({ user });
    writeFileSync(join(folders.root, ".mcp.json"), JSON.stringify(project));
    const { homedir, root, managed } = folders;
    const env = { TROUPE_HOME: join(homedir, ".troupe") };
    const io = Object.assign(new FakeIO({ homedir, cwd: root, env }), { managedSettings: managed });
    const runtime = new FakeRuntime();
    expect(await main(["-p", "hi", "--offline", ...flags], io, runtime)).toBe(0);
    const { serversLeftOut, mcpServers = [] } = runtime.only.options;
    expect(serversLeftOut).toMatchObject(leftOut);
    expect(Object.values(mcpServers).map(({ name }) => name)).toEqual(started);
    for (const name of started) expect(serversLeftOut).not.toHaveProperty(name);
  });
});

const VARIABLE = "CLAUDE_CODE_AGENT_LIST_IN_MESSAGES";

test("the list of agents is where the environment says, else where settings say, else inline (A4.17)", () => {
  for (const yes of ["1", "true", "YES", " on "]) {
    expect(agentListing({ [VARIABLE]: yes }, undefined)).toBe("attached");
    expect(agentListing({ [VARIABLE]: yes }, "inline")).toBe("attached");
  }
  for (const no of ["0", "false", "No", "off"])
    expect(agentListing({ [VARIABLE]: no }, "attached")).toBe("inline");
  for (const nothing of [{}, { [VARIABLE]: "" }, { [VARIABLE]: "perhaps" }]) {
    expect(agentListing(nothing, undefined)).toBe("inline");
    expect(agentListing(nothing, "attached")).toBe("attached");
    expect(agentListing(nothing, "inline")).toBe("inline");
  }
});
