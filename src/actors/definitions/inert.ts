import type { AgentDefinition, AgentMode } from "./definition.ts";

/** A definition of a folder that nobody has agreed to: what it says is read, what would run or widen does not count. */
export function withoutPowers(definition: AgentDefinition): AgentDefinition {
  if (definition.source?.scope !== "project") return definition;
  const { hooks: _, mcpServers, permissionMode, ...rest } = definition;
  // Servers of the session, which the person has, are only named.
  const named = mcpServers?.named ?? [];
  const mode = narrows(permissionMode) ? { permissionMode } : {};
  return { ...rest, ...mode, ...(named.length === 0 ? {} : { mcpServers: { named, own: {} } }) };
}

/** Which definitions that concerns, and what of them, in a sentence; null: none. */
export function inertIn(definitions: readonly AgentDefinition[]): string | null {
  const parts = definitions.flatMap((definition) => {
    const powers = powersOf(definition);
    return powers.length === 0 ? [] : [`${definition.name} (${powers.join(", ")})`];
  });
  if (parts.length === 0) return null;
  const shown = parts.slice(0, MOST_NAMED).join("; ");
  const more = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : "";
  return `This folder is not trusted, so some of what its agent definitions say does not count: ${shown}${more}. --trust lets it count for this run.`;
}

const MOST_NAMED = 5;

function powersOf(definition: AgentDefinition): string[] {
  if (definition.source?.scope !== "project") return [];
  const { hooks, mcpServers, permissionMode } = definition;
  return [
    ...(hooks && Object.keys(hooks).length > 0 ? ["hooks"] : []),
    ...(mcpServers && Object.keys(mcpServers.own).length > 0 ? ["MCP servers"] : []),
    ...(permissionMode !== undefined && !narrows(permissionMode) ? [`permissionMode ${permissionMode}`] : []),
  ];
}

/** Below what a session without settings does. */
function narrows(mode: AgentMode | undefined): mode is "plan" | "dontAsk" {
  return mode === "plan" || mode === "dontAsk";
}
