import { listAgents } from "../../src/features/agents/listing.ts";
import { resourceTools } from "../../src/mcp/mcp-tools.ts";
import { agentTool } from "../../src/tools/agent.ts";
import { bindTool, type SealedTool } from "../../src/tools/bind-tool.ts";
import { agentTools } from "../../src/tools/index.ts";
import { noSession, sessionTools } from "../../src/tools/session-tools.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";

export interface TellableTool {
  /** Not to be called: those on the supervisor's side have no session behind them. */
  readonly tool: SealedTool<AgentCallContext>;
  readonly side: "agent" | "supervisor";
}

/** Every built-in tool, in the order models see them. */
export function everyBuiltInTool(): TellableTool[] {
  const agent = agentTool({
    agents: listAgents(),
    forks: true,
    resolve: () => null,
    spawn: () => Promise.reject(new Error("There is no session.")),
  });
  const resources = resourceTools({
    listResources: () => Promise.reject(new Error("There is no session.")),
    readResource: () => Promise.reject(new Error("There is no session.")),
  });
  return [
    ...agentTools.map((tool): TellableTool => ({ tool, side: "agent" })),
    ...[bindTool(agent), ...sessionTools(noSession), ...resources].map(
      (tool): TellableTool => ({ tool, side: "supervisor" }),
    ),
  ];
}
