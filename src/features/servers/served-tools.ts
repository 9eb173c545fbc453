import * as z from "zod/mini";
import type { Mcp, ServerState } from "../../mcp/mcp.ts";
import { resourceTools, serverTools } from "../../mcp/mcp-tools.ts";
import type { Served } from "../../supervisor/toolbox.ts";
import type { CustomTool } from "../../tools/define-tool.ts";
import type { AgentServers } from "./agent-servers.ts";

export interface ServedParts {
  readonly mcp: Mcp;
  readonly agents: Pick<AgentServers, "of" | "slugs">;
  /** Slugs of the servers available to all agents. */
  readonly shared: ReadonlySet<string>;
  /** The tool that models are not offered. */
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
      stranger: (name) => (name === hidden ? null : strangerTool(mcp, name)),
    };
  };
}

/** True if it is starting, or the user may still sign in. */
function mayStillCome({ type }: ServerState): boolean {
  return type === "starting" || type === "needs-auth";
}

/** Returns a stand-in for an unknown tool that an agent was offered before: the servers report its state. */
function strangerTool(mcp: Pick<Mcp, "call">, name: string): CustomTool | null {
  if (!name.startsWith("mcp__")) return null;
  return {
    ...{ name, aliases: [], permissionLevel: "execute", parallel: false, repeatable: false, description: "" },
    inputSchema: z.record(z.string(), z.unknown()),
    prepare: (input) => ({
      type: "ready",
      title: "",
      accesses: () => [],
      call: ({ call, signal }) => mcp.call({ name, input, call }, signal),
    }),
  };
}
