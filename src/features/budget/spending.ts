import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Usage } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ActorSpec, LastTurn } from "../../mailbox/messages.ts";
import type { Reserve } from "../../model/client.ts";
import { type OwnPrices, priceOf } from "../../model/known-models.ts";
import type { Limits } from "../../settings/limits.ts";
import type { AgentBudget } from "../../settings/read-settings.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { type Budget, budgetOfType, KINDS, tightestBudget, usdOf } from "./budget.ts";
import { type Booked, BudgetLedger, type Spent } from "./ledger.ts";
import { PastRuns } from "./past-runs.ts";
import { estimateAfter, estimateAtStart, prospectOf, type RequestEstimate } from "./request-estimate.ts";
import { WorkTime } from "./work-time.ts";

/**
 * Tokens reserved for the last reply, the summary, which is limited to them. A small budget reserves only a share of
 * itself, or nothing would be left for work.
 */
const SUMMARY_TOKENS = { most: 4_000, least: 500, ofBudget: 0.2 };

const MINUTE_MS = 60_000;

export interface SpendingOptions {
  /** Of the whole session. */
  readonly budget?: Budget;
  readonly agentBudgets?: readonly AgentBudget[];
  readonly prices?: OwnPrices;
  /** Returns the definition of a type; a resumed agent has the budget of its type again. */
  readonly kind?: (type: string) => AgentDefinition | undefined;
  /** Called when money is limited from now on: requests must be reserved. */
  readonly onMoney?: (reserve: Reserve) => void;
}

/** How long an agent's replies take. */
interface Pace {
  /** Null if its own request is answered; requests on its behalf during a call are not measured. */
  askedAt: number | null;
  replyMs: number;
}

/**
 * What the agents of a session may spend (D5): allowances, and how specs and records are read for them. Without any
 * budget nothing is estimated.
 */
export class Spending {
  readonly ledger: BudgetLedger;
  /** What deadlines are measured with. */
  readonly workTime: WorkTime;
  readonly past: PastRuns;
  readonly #agentBudgets: readonly AgentBudget[];
  readonly #agentMinutes: number;
  readonly #kind: NonNullable<SpendingOptions["kind"]>;
  readonly prices: OwnPrices;
  readonly #clock: Pick<Clock, "now">;
  readonly #paces = new Map<ActorId, Pace>();
  /** True if any limit is set; only then requests are estimated. */
  #bounded = false;
  readonly #onMoney: (reserve: Reserve) => void;

  constructor(
    { budget = {}, agentBudgets = [], prices = {}, ...options }: SpendingOptions,
    { agentMinutes, sessionMinutes }: Pick<Limits, "agentMinutes" | "sessionMinutes">,
    clock: Pick<Clock, "now">,
    home: string,
  ) {
    this.past = new PastRuns(home);
    const whole = tightestBudget(budget, sessionMinutes > 0 ? { ms: sessionMinutes * MINUTE_MS } : {});
    this.workTime = new WorkTime(clock);
    this.ledger = new BudgetLedger(whole, { clock: this.workTime, prices });
    this.#agentBudgets = agentBudgets;
    this.#agentMinutes = agentMinutes;
    this.#kind = options.kind ?? (() => undefined);
    this.#onMoney = options.onMoney ?? (() => {});
    this.prices = prices;
    this.#clock = clock;
    this.#heed(whole);
  }

  /** Returns an agent's own budget, from settings and its caller. */
  budgetOf({
    name,
    aliases = [],
    budget = {},
  }: Pick<AgentDefinition, "name" | "aliases" | "budget">): Budget {
    return tightestBudget(budgetOfType([name, ...aliases], this.#agentBudgets, this.#agentMinutes), budget);
  }

  /** Takes it from the parent's allowance; returns a reason for the model if that is not enough. */
  open(spec: ActorSpec, budget = this.#budgetOfKind(spec)): string | null {
    this.#heed(budget);
    const first = this.#bounded
      ? { first: estimateOf(spec, this.#summaryTokens(spec, spec.parent, budget)) }
      : {};
    return this.ledger.open({ actor: spec.id, parent: spec.parent, budget, ...first });
  }

  /**
   * Opens without a check, for the main conversation and for agents resumed from a journal: with the budget of its
   * type, as far as available. It takes nothing that is reserved for others.
   */
  adopt({ id, parent, type }: Pick<ActorSpec, "id" | "parent" | "type">): void {
    const { ms, ...wanted } = this.#budgetOfKind({ id, type });
    const left = this.ledger.left(parent);
    const amounts = KINDS.flatMap((kind) => {
      const limit = wanted[kind];
      return limit === undefined ? [] : [[kind, Math.min(limit, left[kind])] as const];
    });
    const budget: Budget = { ...Object.fromEntries(amounts), ...(ms === undefined ? {} : { ms }) };
    this.#heed(budget);
    this.ledger.adopt({ actor: id, parent, budget });
  }

  /** Called before each request. Returns null for an ordinary one. */
  decideLastTurn({ spec, turns }: Pick<Actor, "spec" | "turns">): LastTurn | null {
    if (!this.#bounded) return null;
    const turn = turns.at(-1);
    const { id, model } = spec;
    const { replyMs = 0 } = this.#paces.get(id) ?? {};
    this.#paces.set(id, { askedAt: this.#clock.now(), replyMs });
    const summaryTokens = this.#summaryTokens(spec, id);
    const estimate = turn
      ? estimateAfter(turn, { model, summaryTokens, replyMs })
      : estimateOf(spec, summaryTokens);
    const words = this.ledger.decideLastTurn(id, estimate);
    // There is nothing to summarize: a user's first request is an ordinary one, if it can be paid for.
    const isFirst = turn === undefined && id === MAIN && words?.silent === false;
    if (words === null || (isFirst && this.#isLeft(id, estimate))) return null;
    return { ...words, maxTokens: summaryTokens };
  }

  spend(actor: ActorId, model: string, usage: Usage, more: Spent = {}): Booked {
    const pace = this.#paces.get(actor);
    if (pace && pace.askedAt !== null) {
      pace.replyMs = this.#clock.now() - pace.askedAt;
      if (!more.broken) pace.askedAt = null;
    }
    return this.ledger.spend(actor, model, usage, more);
  }

  /** Called when an agent has ended: returns the rest, and remembers what its run cost. */
  ended({ id, type, model }: Pick<ActorSpec, "id" | "type" | "model">): void {
    const { usd } = this.ledger.spent(id);
    if (id !== MAIN && usd > 0) this.past.record(type, model, usd);
    this.ledger.release(id);
  }

  #budgetOfKind({ id, type }: Pick<ActorSpec, "id" | "type">): Budget {
    return id === MAIN ? {} : this.budgetOf(this.#kind(type) ?? { name: type });
  }

  #isLeft(actor: ActorId, estimate: RequestEstimate): boolean {
    const { usd, tokens, turns } = prospectOf(estimate, this.prices).next;
    const left = this.ledger.left(actor);
    return usdOf(usd) <= left.usd && tokens <= left.tokens && turns <= left.turns;
  }

  /** `holder`: whose allowance it draws on if it has none of its own. */
  #summaryTokens({ model }: ActorSpec, holder: ActorId | null, own: Budget = {}): number {
    const { most, least, ofBudget } = SUMMARY_TOKENS;
    const { usd = this.ledger.balance(holder, "usd").limit } = own;
    const { tokens = this.ledger.balance(holder, "tokens").limit } = own;
    const usdPerToken = (priceOf(model, 0, this.prices)?.output ?? 0) / 1_000_000;
    const affordable = usdPerToken > 0 ? usd / usdPerToken : most / ofBudget;
    return Math.round(Math.max(least, Math.min(most, affordable * ofBudget, tokens * ofBudget)));
  }

  #heed(budget: Budget): void {
    if (Object.keys(budget).length > 0) this.#bounded = true;
    if (budget.usd !== undefined)
      this.#onMoney((request, signal) => this.ledger.reserve(request, request.actor === MAIN, signal));
  }
}

/** Estimates the tokens of an agent's first request from its characters. */
export function promptTokensOf(spec: ActorSpec): number {
  return estimateOf(spec, 0).promptTokens;
}

function estimateOf({ system, tools, messages, model }: ActorSpec, summaryTokens: number): RequestEstimate {
  const texts = [...system, JSON.stringify(tools), JSON.stringify(messages)];
  return estimateAtStart(texts, { model, summaryTokens });
}
