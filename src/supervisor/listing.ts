import type { AgentDefinition } from "../actors/definitions/definition.ts";
import { builtInAgents, findAgent } from "../actors/definitions/index.ts";
import type { AgentListing } from "../tools/agent.ts";
import { noSession, sessionTools } from "./session-tools.ts";
import { MAINS_OWN } from "./specs.ts";
import { Toolbox } from "./toolbox.ts";

/** One kind of agent, as people and models choose it. */
export interface ListedAgent extends AgentListing {
  readonly aliases: readonly string[];
  readonly model?: string;
}

/** The built-in kinds and a person's own; an own one takes the place of a built-in of the same name. */
export function definitionsWith(own: readonly AgentDefinition[]): AgentDefinition[] {
  return [...builtInAgents.filter(({ name }) => !findAgent(own, name)), ...own];
}

/** The Agent tool is made of these listings, so it is in no toolbox yet when they are made. */
export function listingOf(definition: AgentDefinition, toolbox: Toolbox): ListedAgent {
  const { name, aliases = [], whenToUse, tools, disallowedTools = [], model } = definition;
  const offered = toolbox.names(tools, [...disallowedTools, ...MAINS_OWN]);
  const spawning = tools === "all" && !disallowedTools.includes("Agent") ? ["Agent"] : [];
  return {
    name,
    aliases,
    whenToUse,
    tools: [...offered, ...spawning],
    ...(model === undefined ? {} : { model }),
  };
}

/** What a session without settings of its own would offer. */
export function listAgents(): ListedAgent[] {
  const toolbox = new Toolbox({ ours: sessionTools(noSession), foreign: [] }, () => false);
  return builtInAgents.map((definition) => listingOf(definition, toolbox));
}
