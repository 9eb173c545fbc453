import { bashTool } from "./bash.ts";
import { bindTool, type SealedTool } from "./bind-tool.ts";
import { toolSearchTool } from "./deferred/tool-search.ts";
import { useToolTool } from "./deferred/use-tool.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob/glob.ts";
import { grepTool } from "./grep/grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AgentCallContext } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools that run in an agent's own thread, in the order the model sees them. */
export const agentTools: readonly SealedTool<AgentCallContext>[] = [
  bindTool(readTool),
  bindTool(writeTool),
  bindTool(editTool),
  bindTool(notebookEditTool),
  bindTool(globTool),
  bindTool(grepTool),
  bindTool(bashTool),
  bindTool(todoWriteTool),
  // Offered if there are deferred tools.
  bindTool(toolSearchTool),
  bindTool(useToolTool),
];
