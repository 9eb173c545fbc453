import type { AgentDefinition } from "../actors/definitions/definition.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { Usage } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { ActorSpec, LastTurn } from "../mailbox/messages.ts";
import type { OwnPrices } from "../model/prices.ts";
import type { AgentBudget } from "../policy/settings/budget-settings.ts";
import type { ActorRecord } from "./actor-record.ts";
import { type Budget, budgetOfType, tightest } from "./budget/budget.ts";
import { type Booked, Purses } from "./budget/purses.ts";
import { estimateAfter, estimateAtStart } from "./budget/request-estimate.ts";
import type { Limits } from "./options.ts";

/** Tokens of the last reply, which is the summary: what is kept back for it is only enough if it is held to that. */
const SUMMARY_TOKENS = 4_000;

export interface SpendingOptions {
  /** Of the whole session. */
  readonly budget?: Budget;
  readonly agentBudgets?: readonly AgentBudget[];
  readonly prices?: OwnPrices;
}

/**
 * What the agents of a session may spend (D5): purses, and how specs and records are read for them. Where nobody set
 * a budget nothing is estimated.
 */
export class Spending {
  readonly purses: Purses;
  readonly #agentBudgets: readonly AgentBudget[];
  readonly #agentMinutes: number;
  /** Whether anything is bounded, in which case requests are estimated. */
  #bounded: boolean;

  constructor(
    { budget = {}, agentBudgets = [], prices = {} }: SpendingOptions,
    { agentMinutes }: Pick<Limits, "agentMinutes">,
    clock: Pick<Clock, "now">,
  ) {
    this.purses = new Purses(budget, { clock, prices });
    this.#agentBudgets = agentBudgets;
    this.#agentMinutes = agentMinutes;
    this.#bounded = Object.keys(budget).length > 0;
  }

  /** What an agent of this kind gets of its own: by settings, and by whoever asks for it. */
  budgetOf({
    name,
    aliases = [],
    budget = {},
  }: Pick<AgentDefinition, "name" | "aliases" | "budget">): Budget {
    return tightest(budgetOfType([name, ...aliases], this.#agentBudgets, this.#agentMinutes), budget);
  }

  /** Takes it from the parent's purse; a sentence for the model where that has not enough. */
  open(spec: ActorSpec, budget: Budget): string | null {
    if (Object.keys(budget).length > 0) this.#bounded = true;
    const first = this.#bounded ? { first: estimateOf(spec) } : {};
    const opened = this.purses.open({ actor: spec.id, parent: spec.parent, budget, ...first });
    return opened.type === "refused" ? opened.reason : null;
  }

  /** Without a question: the main conversation, and whoever goes on from a journal. */
  adopt({ id, parent }: Pick<ActorSpec, "id" | "parent">, budget: Budget = {}): void {
    if (Object.keys(budget).length > 0) this.#bounded = true;
    this.purses.adopt({ actor: id, parent, budget });
  }

  /** Before each request. Null: it may be an ordinary one. */
  lastWords({ spec, turns }: ActorRecord): LastTurn | null {
    if (!this.#bounded) return null;
    const turn = turns.at(-1);
    const { model } = spec;
    const estimate = turn ? estimateAfter(turn, { model, summaryTokens: SUMMARY_TOKENS }) : estimateOf(spec);
    const words = this.purses.lastWords(spec.id, estimate);
    return words && { ...words, maxTokens: SUMMARY_TOKENS };
  }

  spend(actor: ActorId, model: string, usage: Usage): Booked {
    return this.purses.spend(actor, model, usage);
  }
}

function estimateOf({ system, tools, messages, model }: ActorSpec) {
  const texts = [...system, JSON.stringify(tools), JSON.stringify(messages)];
  return estimateAtStart(texts, { model, summaryTokens: SUMMARY_TOKENS });
}
