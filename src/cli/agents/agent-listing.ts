import type { AgentPlacement } from "../../features/agents/agent-types.ts";

const VARIABLE = "CLAUDE_CODE_AGENT_LIST_IN_MESSAGES";
const YES: readonly string[] = ["1", "true", "yes", "on"];
const NO: readonly string[] = ["0", "false", "no", "off"];

/** Where the list of agents stands: as the environment says, else as settings do (A4.17). Other values say nothing. */
export function agentListing(
  env: Readonly<Record<string, string | undefined>>,
  settings: AgentPlacement | undefined,
): AgentPlacement {
  const said = env[VARIABLE]?.trim().toLowerCase() ?? "";
  if (YES.includes(said)) return "attached";
  return NO.includes(said) ? "inline" : (settings ?? "inline");
}
