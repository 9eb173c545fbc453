/** How many Troupes that serve stand above a process; reaches the servers and the commands of a session that serves. */
const DEPTH = "TROUPE_MCP_DEPTH";

/**
 * Whether whoever started this Troupe was itself asked for agents by a client. Its agents have the Agent tool, and a
 * folder's `.mcp.json` that names Troupe would otherwise have each level start the next one (fault: agents without end).
 */
export function isBelowServing(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env[DEPTH] ?? "0") !== "0";
}

/** What everything that a serving session starts is told. */
export const belowServing: Readonly<Record<string, string>> = { [DEPTH]: "1" };
