import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { HookSource } from "../../policy/hooks/hooks.ts";

/** The hooks that definitions bring, each for agents of its type alone. */
export function definitionHooks(definitions: readonly AgentDefinition[]): HookSource[] {
  return definitions.flatMap(({ name, hooks, source }) => {
    if (hooks === undefined) return [];
    const scope = source === undefined ? "library" : source.scope === "flag" ? "cli" : source.scope;
    if (scope === "built-in") return [];
    const file = source !== undefined && "file" in source ? source.file : `the agent ${name}`;
    return [{ scope, file, value: forAgents(hooks), agentType: name }];
  });
}

/** What ends is an agent: people write `Stop` for it, as in settings. */
function forAgents({ Stop: stop, ...hooks }: Readonly<Record<string, unknown>>): object {
  if (stop === undefined) return hooks;
  const { SubagentStop: own, ...others } = hooks;
  return { ...others, SubagentStop: Array.isArray(own) && Array.isArray(stop) ? [...own, ...stop] : stop };
}
