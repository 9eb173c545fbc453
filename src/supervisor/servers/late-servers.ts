import type { ServerStatus } from "../../mcp/mcp.ts";
import type { Person } from "../../policy/asks.ts";
import type { OpenedServers } from "./opened-servers.ts";
import type { ServersParts } from "./parts.ts";

/** The MCP servers of a session. What they need is loaded where there is one, and not before: most sessions have none. */
export interface LateServers {
  /** Resolves when the first request need wait no longer; rejects, with a sentence, where nothing may run. */
  readonly known: Promise<void> | null;
  status(): readonly ServerStatus[];
  close(): Promise<void>;
}

const none: LateServers = { known: null, status: () => [], close: async () => {} };

export function lateServers(parts: ServersParts): LateServers & { readonly person: Person } {
  const { mcpServers = [], permissionPromptTool } = parts.options;
  const nobody: Person = { ask: async () => ({ type: "nobody", reason: "There is no MCP server." }) };
  const isWanted = Object.keys(mcpServers).length > 0 || permissionPromptTool !== undefined;
  if (!isWanted) return { ...none, person: nobody };
  let opened: OpenedServers | null = null;
  let closed = false;
  const opening = import("./opened-servers.ts").then(({ openServers }) => {
    if (closed) return null;
    opened = openServers(parts);
    return opened;
  });
  const known = opening.then((servers) => servers?.known);
  // Whoever prompts hears of it; nobody need.
  known.catch(() => {});
  return {
    known,
    status: () => opened?.status() ?? [],
    person: {
      ask: async (ask, signal) => ((await opening)?.promptTool ?? nobody).ask(ask, signal),
    },
    async close() {
      closed = true;
      const servers = await opening.catch(() => null);
      await servers?.close();
    },
  };
}
