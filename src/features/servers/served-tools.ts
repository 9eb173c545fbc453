import type { ServerState } from "../../mcp/mcp.ts";
import { resourceTools, serverTool, serverTools } from "../../mcp/mcp-tools.ts";
import type { Mcp } from "../../mcp/open-mcp.ts";
import type { Served } from "../../supervisor/toolbox.ts";
import type { AgentServers } from "./agent-servers.ts";

export interface ServedParts {
  readonly mcp: Mcp;
  readonly agents: Pick<AgentServers, "of" | "slugs">;
  readonly shared: ReadonlySet<string>;
  readonly hidden: string | undefined;
}

/** Returns the servers' tools, current at each call. */
export function servedTools({ mcp, agents, shared, hidden }: ServedParts): () => Served {
  const resources = resourceTools(
    mcp,
    (actor) => (slug) => shared.has(slug) || agents.of(actor).includes(slug),
  );
  const isWanted = shared.size > 0 || hidden !== undefined;
  return () => {
    const all = [...(isWanted ? resources : []), ...serverTools(mcp, (slug) => shared.has(slug))];
    const ofOne = (one: string) => [...resources, ...serverTools(mcp, (slug) => slug === one)];
    return {
      all: all.filter(({ name }) => name !== hidden),
      own: new Map([...agents.slugs].map((slug) => [slug, ofOne(slug)])),
      awaited: mcp.servers().flatMap(({ slug, state }) => (mayStillCome(state) ? [slug] : [])),
      stranger: (name) => (name === hidden || !name.startsWith("mcp__") ? null : serverTool(mcp, name)),
    };
  };
}

/** True if it is starting, or the user may still sign in. */
function mayStillCome({ type }: ServerState): boolean {
  return type === "starting" || type === "needs-auth";
}
