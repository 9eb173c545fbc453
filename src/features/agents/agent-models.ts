import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import { builtInAgents, findAgent } from "../../actors/definitions/index.ts";
import type { AgentModels } from "../../model/agent-models.ts";

/** Returns the definition with the model from the settings, which takes precedence over its own. */
export function withModel(definition: AgentDefinition, models: AgentModels): AgentDefinition {
  const builtIn = builtInAgents.includes(definition);
  const chosen = chooseModel(definition, models, builtIn);
  if (chosen === definition.model) return definition;
  const { model: _, ...rest } = definition;
  return {
    ...rest,
    ...(chosen === undefined ? {} : { model: chosen }),
    ...(builtIn ? { source: { scope: "built-in" } as const } : {}),
  };
}

function chooseModel(
  definition: AgentDefinition,
  { agentModels = {}, smallModel }: AgentModels,
  builtIn: boolean,
): string | undefined {
  const { name, model } = definition;
  const named = Object.entries(agentModels).find(([type]) => findAgent([definition], type))?.[1];
  const small = builtIn && name === "Explore" ? smallModel : undefined;
  const chosen = named ?? agentModels["*"] ?? model ?? small;
  return chosen === "inherit" ? undefined : chosen;
}
