import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import { parseMcpServers } from "../../mcp/parse-servers.ts";
import { isSameServer, type McpServer } from "../../mcp/server.ts";

/** Servers that agents of a type bring. `problems`: a sentence for each that is not started. */
export interface BroughtServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly string[];
}

/** What decides which of them are started. */
export interface BringParts {
  /** Of the session. */
  readonly servers: readonly McpServer[];
  /** The current agent types, in order of precedence. */
  readonly kinds: readonly AgentDefinition[];
  /** For `${VAR}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if a rule forbids all tools whose names start like this. */
  isOff(names: readonly string[]): boolean;
}

/**
 * Returns the servers that a definition writes out. Rules go by name, so a name means one server in a session: the
 * session's takes precedence, then the first type's; another one of that name is not started.
 */
export function definitionServers(definition: AgentDefinition, parts: BringParts): BroughtServers {
  const parsed = parsedOf(definition, parts);
  const problems = [...parsed.problems];
  const servers = parsed.servers.flatMap((server) => {
    const ofSession = parts.servers.find(({ slug }) => slug === server.slug);
    if (ofSession !== undefined) {
      // An equal server is the session's, which all agents share.
      if (!isSameServer(ofSession, server)) problems.push(replaced(server, ofSession));
      return [];
    }
    const taken = takenBy(server, definition, parts);
    if (taken !== null)
      problems.push(notStarted(server, `"${taken.name}" of ${taken.file} has its name. ${RENAME}`));
    else if (parts.isOff([`mcp__${server.slug}__`]))
      problems.push(notStarted(server, "a rule forbids all of its tools."));
    else return [server];
    return [];
  });
  return { servers, problems };
}

const RENAME = "Give one of them another name.";

function parsedOf(definition: AgentDefinition, { env }: Pick<BringParts, "env">): BroughtServers {
  const { mcpServers } = definition;
  if (mcpServers === undefined) return { servers: [], problems: [] };
  return parseMcpServers({ mcpServers: mcpServers.own }, { file: placeOf(definition), env });
}

/** Returns the different server of the same name that a type with precedence brings, or null. */
function takenBy(server: McpServer, definition: AgentDefinition, parts: BringParts): McpServer | null {
  for (const other of parts.kinds) {
    if (other.name === definition.name) return null;
    const twin = parsedOf(other, parts).servers.find(({ slug }) => slug === server.slug);
    if (twin !== undefined) return isSameServer(twin, server) ? null : twin;
  }
  return null;
}

function placeOf({ name, source }: AgentDefinition): string {
  return source !== undefined && "file" in source ? source.file : `the agent ${name}`;
}

function notStarted({ name, file }: McpServer, why: string): string {
  return `The MCP server "${name}" of ${file} is not started: ${why}`;
}

function replaced(server: McpServer, { name, file }: McpServer): string {
  return notStarted(
    server,
    `"${name}" of ${file} is there for the whole session and has its name. ${RENAME}`,
  );
}
