import { bashTool } from "./bash.ts";
import { bindTool, type SealedTool } from "./bind-tool.ts";
import { threadTools } from "./thread-tools.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AgentCallContext } from "./tool.ts";
import { toolSearchTool, useToolTool } from "./tool-search.ts";

/** The tools that belong to an agent, in the order the model sees them: those of a thread, and those that only ask others. */
export const agentTools: readonly SealedTool<AgentCallContext>[] = [
  ...threadTools,
  bindTool(bashTool),
  bindTool(todoWriteTool),
  bindTool(toolSearchTool),
  bindTool(useToolTool),
];
