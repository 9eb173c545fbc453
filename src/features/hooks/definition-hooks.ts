import type { AgentDefinition } from "../../context/agents/definition.ts";
import { isObject } from "../../lib/objects.ts";
import type { ReadHooks } from "../../policy/hooks/hooks.ts";

/** Returns the hooks of definitions, each for agents of its type alone. */
export function definitionHooks(definitions: readonly AgentDefinition[]): ReadHooks[] {
  return definitions.flatMap(({ name, hooks, source }) => {
    if (hooks === undefined) return [];
    const scope = source === undefined ? "library" : source.scope === "flag" ? "cli" : source.scope;
    if (scope === "built-in" || scope === "plugin") return [];
    const file = source !== undefined && "file" in source ? source.file : `the agent ${name}`;
    return [{ scope, file, value: forAgents(hooks), agentType: name }];
  });
}

/** Maps `Stop`, which users write as in settings, to the end of an agent. */
function forAgents({ Stop: stop, ...hooks }: Readonly<Record<string, unknown>>): object {
  if (stop === undefined) return hooks;
  const { SubagentStop: own, ...others } = hooks;
  return { ...others, SubagentStop: Array.isArray(own) && Array.isArray(stop) ? [...own, ...stop] : stop };
}

/** Returns the hooks of a skill, whose `Stop` is the end of the main conversation and of an agent. */
export function forBoth(hooks: unknown): unknown {
  return isObject(hooks) && "Stop" in hooks ? { ...forAgents(hooks), Stop: hooks["Stop"] } : hooks;
}
