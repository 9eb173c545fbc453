import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { SessionAgents } from "./session-agents.ts";

/** The same agents where `--strict-mcp-config` is meant: none brings servers of its own. */
export function withoutServers(agents: SessionAgents): SessionAgents {
  return each(agents, withoutOwn);
}

/** The same agents where settings switch hooks off. */
export function withoutHooks(agents: SessionAgents): SessionAgents {
  return each(agents, ({ hooks: _, ...definition }) => definition);
}

function each(
  { agents, agentsNow, notes }: SessionAgents,
  change: (definition: AgentDefinition) => AgentDefinition,
): SessionAgents {
  return {
    agents: agents.map(change),
    async agentsNow() {
      const now = await agentsNow();
      return now === null ? null : { ...now, agents: now.agents.map(change) };
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
