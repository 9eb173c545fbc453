/** Models that settings choose for agents; a call that names a model wins. */
export interface AgentModels {
  /** An alias, a full ID or `inherit` (the session's) by the name of a type of agent; `*` is every other type. */
  readonly agentModels?: Readonly<Record<string, string>>;
  /** For what needs speed more than thought; Explore uses it unless `agentModels` names Explore. */
  readonly smallModel?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Adds what the environment says, as Claude Code reads it; a type that settings name keeps its model. */
export function agentModelsFrom(env: Env, { agentModels = {}, smallModel }: AgentModels): AgentModels {
  const all = env["CLAUDE_CODE_SUBAGENT_MODEL"]?.trim();
  const small = env["ANTHROPIC_SMALL_FAST_MODEL"]?.trim() || smallModel;
  return {
    agentModels: all ? { ...agentModels, "*": all } : agentModels,
    ...(small === undefined ? {} : { smallModel: small }),
  };
}
