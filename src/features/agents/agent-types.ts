import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import { findAgent } from "../../actors/definitions/index.ts";
import { digestOf } from "../../context/digest.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import type { Fact } from "../../context/facts.ts";
import { listingBudget } from "../../context/skills/listing.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { AgentModels } from "../../model/agent-models.ts";
import type { Toolbox } from "../../supervisor/toolbox.ts";
import { agentList, formatAgentLine } from "../../tools/agent-list.ts";
import { definitionsWith, type ListedAgent, listingOf } from "./listing.ts";

/** Where the list of agents stands (A4.17). */
export type AgentPlacement = "inline" | "attached";

/** By which a conversation knows the list. */
export const AGENTS_FACT = "agents";
const HEAD = "Agents\nThe kinds of agents that the Agent tool starts, as they are now:";

/** The kinds of agents of a session, which files can change while it runs. */
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

  /** Those that start from now on are of these kinds. */
  replace(own: readonly AgentDefinition[]): void {
    this.#all = definitionsWith(own, this.#models);
  }
}

/** The kinds of agents besides the built-in ones, with sentences for the person; null: they are what they were. */
export type AgentsNow = () => Promise<{
  readonly agents: readonly AgentDefinition[];
  readonly notes: readonly string[];
} | null>;

export interface AgentLookParts {
  readonly now: AgentsNow | undefined;
  readonly onWarning: (message: string) => void;
  readonly onChange: () => void;
}

/** Looks whether the kinds have changed; one look at a time, and none rejects. Null: they never do. */
export function agentLooks(
  kinds: AgentTypes,
  { now, onWarning, onChange }: AgentLookParts,
): (() => Promise<void>) | null {
  if (now === undefined) return null;
  let looking = Promise.resolve();
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
  return () => {
    looking = looking.then(look);
    return looking;
  };
}

/** The list of agents as models are told it. */
export interface AgentIndex {
  readonly agents: readonly ListedAgent[];
  listing(type: string): ListedAgent | null;
  /** What the description of the tool says for as long as the session lasts; null: messages say it. */
  readonly inline: string | null;
  /** As something that a conversation is told. */
  fact(windowTokens: number): Fact;
  /** Whether the tool itself says as much. */
  isInline(fact: Fact): boolean;
}

/** `toolbox`: all tools but that which starts agents; `windowTokens`: of the session's model. */
export function agentIndex(
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
