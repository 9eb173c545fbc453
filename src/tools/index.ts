import { bashTool } from "./bash.ts";
import { toolSearchTool } from "./deferred/tool-search.ts";
import { useToolTool } from "./deferred/use-tool.ts";
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { type SealedTool, seal } from "./sealed.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { AgentCallContext } from "./tool.ts";
import { writeTool } from "./write.ts";

/** The tools that run in an agent's own thread, in the order the model sees them. */
export const agentTools: readonly SealedTool<AgentCallContext>[] = [
  seal(readTool),
  seal(writeTool),
  seal(editTool),
  seal(notebookEditTool),
  seal(globTool),
  seal(grepTool),
  seal(bashTool),
  seal(todoWriteTool),
  // Offered where there is something to find.
  seal(toolSearchTool),
  seal(useToolTool),
];
