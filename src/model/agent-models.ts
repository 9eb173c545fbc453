import type { Aliases } from "./aliases.ts";
import type { AvailableModels } from "./available-models.ts";

/** Models that settings choose for agents; a call that names a model wins. */
export interface AgentModels {
  /** An alias, a full ID or `inherit` (the session's) by agent type; `*` is every other type. */
  readonly agentModels?: Readonly<Record<string, string>>;
  /** For tasks where speed matters most; Explore uses it unless `agentModels` names Explore. */
  readonly smallModel?: string;
  readonly availableModels?: AvailableModels;
  readonly aliases?: Aliases;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Adds the environment's values, with Claude Code's variables; a type in the settings keeps its model. */
export function agentModelsFrom(env: Env, { agentModels = {}, smallModel }: AgentModels): AgentModels {
  const all = env["CLAUDE_CODE_SUBAGENT_MODEL"]?.trim();
  const small = env["ANTHROPIC_SMALL_FAST_MODEL"]?.trim() || smallModel;
  return {
    agentModels: all ? { ...agentModels, "*": all } : agentModels,
    ...(small === undefined ? {} : { smallModel: small }),
  };
}
