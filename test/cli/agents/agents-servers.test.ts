import { expect, test } from "vitest";
import { defineAgent } from "../../../src/actors/definitions/definition.ts";
import { secretsOfAgents, withoutServers } from "../../../src/cli/agents/agents-servers.ts";
import { listAgents } from "../../../src/supervisor/listing.ts";

const own = {
  db: { command: "db", env: { DB_PASSWORD: "a-long-password", DB_HOST: "example" } },
  api: { url: "https://example.org/mcp", headers: { Authorization: `Bearer ${"$"}{API_KEY}` } },
};
const dba = defineAgent({
  ...{ name: "dba", whenToUse: "", prompt: "p", tools: ["Read"] },
  mcpServers: { named: ["shared"], own },
});
const reader = defineAgent({ name: "reader", whenToUse: "", prompt: "p", tools: ["Read"] });

test("--strict-mcp-config: no agent brings a server, nor one whose file changes later", async () => {
  const agents = { agents: [dba, reader], agentsNow: async () => ({ agents: [dba], notes: [] }), notes: [] };
  const strict = withoutServers(agents);
  const bare = { ...dba, mcpServers: { named: ["shared"], own: {} } };
  expect(strict.agents).toEqual([bare, reader]);
  expect(await strict.agentsNow()).toEqual({ agents: [bare], notes: [] });
  expect(await withoutServers({ ...agents, agentsNow: async () => null }).agentsNow()).toBeNull();
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
