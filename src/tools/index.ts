import type { SealedTool } from "./sealed.ts";
import type { AgentCallContext } from "./tool.ts";

export const agentTools: readonly SealedTool<AgentCallContext>[] = [];
