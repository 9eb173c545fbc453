import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import { type SealedTool, seal } from "./sealed.ts";
import type { AgentCallContext } from "./tool.ts";

/** The tools that run in an agent's own thread, in the order the model sees them. */
export const agentTools: readonly SealedTool<AgentCallContext>[] = [
  seal(readTool),
  seal(globTool),
  seal(grepTool),
];
