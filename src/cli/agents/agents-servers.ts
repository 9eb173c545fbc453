import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { SessionAgents } from "./session-agents.ts";

/** The same agents where `--strict-mcp-config` is meant: none brings servers of its own. */
export function withoutServers({ agents, agentsNow, notes }: SessionAgents): SessionAgents {
  return {
    agents: agents.map(withoutOwn),
    async agentsNow() {
      const now = await agentsNow();
      return now === null ? null : { ...now, agents: now.agents.map(withoutOwn) };
    },
    notes,
  };
}

/** Secrets that servers are given which agents bring. What reads them is loaded where there is one. */
export async function secretsOfAgents(
  agents: readonly AgentDefinition[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const brought = agents.map(({ mcpServers }) => mcpServers?.own ?? {});
  if (brought.every((own) => Object.keys(own).length === 0)) return [];
  const { secretsIn } = await import("../mcp/chosen-servers.ts");
  return brought.flatMap((own) => secretsIn(own, env));
}

function withoutOwn(definition: AgentDefinition): AgentDefinition {
  const { mcpServers } = definition;
  return mcpServers === undefined ? definition : { ...definition, mcpServers: { ...mcpServers, own: {} } };
}
