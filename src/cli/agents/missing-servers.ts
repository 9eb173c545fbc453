import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { ListedAgent } from "../../features/agents/listing.ts";
import { knownServers, type MissingServer, missingServers } from "../../features/servers/named-servers.ts";
import type { TrustedSettings } from "../../policy/trust/trust.ts";
import type { Arguments } from "../arguments.ts";
import { sessionServers } from "../mcp/configured-servers.ts";
import type { CliIO } from "../process-io.ts";

export interface ShownAgent extends ListedAgent {
  /** MCP servers that its definition names and it does not get. */
  readonly missingServers?: readonly MissingServer[];
}

/** Adds the servers that an agent names and a session here would not have. */
export async function withMissingServers(
  agents: readonly ListedAgent[],
  own: readonly AgentDefinition[],
  { args, io, read }: { readonly args: Arguments; readonly io: CliIO; readonly read: TrustedSettings },
): Promise<readonly ShownAgent[]> {
  const env = { ...io.env, ...read.settings.env };
  const { options } = await sessionServers(args, io, env, read);
  const there = { ...knownServers(options), kinds: own };
  return agents.map((agent) => {
    const definition = own.find(({ name }) => name === agent.name);
    const missing = definition === undefined ? [] : missingServers(definition, there);
    return missing.length === 0 ? agent : { ...agent, missingServers: missing };
  });
}
