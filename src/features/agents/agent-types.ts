import { type AgentDefinition, findAgent } from "../../context/agents/definition.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import { digestOf, type Fact } from "../../context/facts.ts";
import { listingBudget } from "../../context/skills/listing.ts";
import { errorMessage } from "../../lib/errors.ts";
import { oneAtATime } from "../../lib/queues.ts";
import type { AgentModels } from "../../model/model-names.ts";
import { agentList, formatAgentLine } from "../../tools/agent.ts";
import { Toolbox } from "../../tools/toolbox.ts";
import { windowFor } from "../compaction/windows.ts";
import { definitionsWith, type ListedAgent, listingOf } from "./listing.ts";

/** Where the model finds the list of agent types (A4.17). */
export type AgentPlacement = "inline" | "attached";

/** The key of the list among the facts of a conversation. */
export const AGENTS_FACT = "agents";
const HEAD = "Agents\nThe agent types that the Agent tool starts, as they are now:";

/** The agent types of a session, which can change with their files while it runs. */
export class AgentTypes {
  readonly #models: AgentModels;
  #all: readonly AgentDefinition[];

  constructor(own: readonly AgentDefinition[], models: AgentModels = {}) {
    this.#models = models;
    this.#all = definitionsWith(own, models);
  }

  get all(): readonly AgentDefinition[] {
    return this.#all;
  }

  find(type: string): AgentDefinition | undefined {
    return findAgent(this.#all, type);
  }

  /** Replaces the types for agents that start from now on. */
  replace(own: readonly AgentDefinition[]): void {
    this.#all = definitionsWith(own, this.#models);
  }
}

/** Reads the own agent types, with warnings for the user. Resolves with null if they are unchanged. */
export type AgentsNow = () => Promise<{
  readonly agents: readonly AgentDefinition[];
  readonly notes: readonly string[];
} | null>;

export interface AgentLookParts {
  readonly now: AgentsNow | undefined;
  readonly onWarning: (message: string) => void;
  readonly onChange: () => void;
}

/** Checks whether the types have changed, one check at a time. Never rejects. */
export function agentLooks(
  kinds: AgentTypes,
  { now, onWarning, onChange }: AgentLookParts,
): (() => Promise<void>) | null {
  if (now === undefined) return null;
  const inTurn = oneAtATime();
  const look = async () => {
    try {
      const found = await now();
      if (found === null) return;
      kinds.replace(found.agents);
      onChange();
      for (const note of found.notes) onWarning(note);
    } catch (error) {
      onWarning(`The agents could not be read again: ${errorMessage(error)}`);
    }
  };
  return () => inTurn(look);
}

/** The list of agent types as models see it. */
export interface AgentIndex {
  readonly agents: readonly ListedAgent[];
  listing(type: string): ListedAgent | null;
  /** The list for the tool description, fixed for the session; null if messages carry it. */
  readonly inline: string | null;
  /** Returns the list as a fact of a conversation. */
  fact(windowTokens: number): Fact;
  /** True if the tool description already says this. */
  isInline(fact: Fact): boolean;
}

/** Builds the list. `toolbox` is all tools but Agent; `windowTokens` is of the session's model. */
function agentIndex(
  kinds: AgentTypes,
  toolbox: Toolbox,
  { placement, windowTokens }: { readonly placement: AgentPlacement; readonly windowTokens: number },
): AgentIndex {
  let made: { readonly of: readonly AgentDefinition[]; readonly listed: readonly ListedAgent[] } | null =
    null;
  let last: { readonly of: readonly ListedAgent[]; readonly room: number; readonly fact: Fact } | null = null;

  function agents(): readonly ListedAgent[] {
    const { all } = kinds;
    if (made?.of !== all) made = { of: all, listed: all.map((one) => listingOf(one, toolbox)) };
    return made.listed;
  }

  function fact(window: number): Fact {
    const [of, room] = [agents(), listingBudget(window)];
    if (last?.of === of && last.room === room) return last.fact;
    const text = `${HEAD}\n${listed(of, room)}`;
    last = {
      of,
      room,
      fact: { key: AGENTS_FACT, digest: digestOf(of.map(formatAgentLine).join("\n")), text },
    };
    return last.fact;
  }

  const isAttached = placement === "attached";
  const atFirst = isAttached ? null : fact(windowTokens).digest;
  return {
    get agents() {
      return agents();
    },
    listing(type) {
      const found = kinds.find(type);
      return found ? listingOf(found, toolbox) : null;
    },
    inline: isAttached ? null : listed(agents(), listingBudget(windowTokens)),
    fact,
    isInline: ({ digest }) => digest === atFirst,
  };
}

function listed(agents: readonly ListedAgent[], room: number): string {
  return escapeTags(agentList(agents, room, ({ source }) => source?.scope === "built-in"));
}

/** The agent types as models see them: each with its tools, but for the one that starts agents. */
export function listAgentTypes(
  {
    types,
    model,
    options,
  }: {
    readonly types: AgentTypes;
    readonly model: string;
    readonly options: {
      readonly compaction?: Parameters<typeof windowFor>[1];
      readonly agentListing?: AgentPlacement;
    };
  },
  tools: Parameters<Toolbox["fill"]>[0],
  isOff: (names: readonly string[]) => boolean,
): AgentIndex {
  const others = new Toolbox(isOff);
  others.fill(tools);
  const { agentListing: placement = "inline" } = options;
  return agentIndex(types, others, { placement, windowTokens: windowFor(model, options.compaction).tokens });
}
