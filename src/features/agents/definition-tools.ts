import type { AgentDefinition } from "../../context/agents/definition.ts";
import { serverSlug } from "../../mcp/names.ts";
import type { Allowed } from "../../tools/toolbox.ts";

const SKILL = "Skill";

/** Returns the tools of a definition: those it lists, and those that its servers and skills need. */
export function namedTools({ tools, mcpServers, skills = [] }: AgentDefinition): Allowed {
  if (tools === "all") return tools;
  const servers = mcpServers ? [...mcpServers.named, ...Object.keys(mcpServers.own)] : [];
  const ofServers = servers.map((name) => `mcp__${serverSlug(name)}`);
  return [...tools, ...ofServers, ...(skills.length > 0 ? [SKILL] : [])];
}

/** Tools of the main conversation alone: only it enters and exits plan mode or a worktree, is woken by a timer, and runs scripts. */
export const MAIN_ONLY_TOOLS: readonly string[] = [
  "EnterPlanMode",
  "ExitPlanMode",
  "EnterWorktree",
  "ExitWorktree",
  "CronCreate",
  "CronList",
  "CronDelete",
  "ScheduleWakeup",
  "Workflow",
];
