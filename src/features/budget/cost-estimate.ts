import { formatCount, formatDollars } from "../../lib/text.ts";
import { costOf, type OwnPrices, type Prices, priceOf } from "../../model/known-models.ts";
import type { Budget } from "./budget.ts";

/** An agent that a reply wants to start. */
export interface PlannedAgent {
  readonly type: string;
  /** Tokens of its first request. */
  readonly prefixTokens: number;
  /** Full ID. */
  readonly model: string;
  readonly budget: Budget;
  readonly maxTurns: number;
  /** Of one reply. */
  readonly maxTokens: number;
  /** True if it may start others, whose cost is in its budget but not in its limits. */
  readonly startsAgents?: boolean;
  /** Of its context window (default 200,000). */
  readonly windowTokens?: number;
}

/** What is known before they start. */
export interface EstimateInput {
  /** Dollars in the allowance that they draw on; Infinity for no limit. */
  readonly leftUsd: number;
  readonly whose: "session" | "agent";
  /** Returns the average cost of such an agent on this machine, or null if too few have run. */
  readonly past: (type: string, model: string) => number | null;
  readonly prices?: OwnPrices;
}

/**
 * What the upper bound is based on. `limits`: turns and windows at list prices, which an agent rarely comes near;
 * `limits-of-first`: without the agents that these start.
 */
export type EstimateBasis = "budgets" | "left" | "limits" | "limits-of-first";

/** The likely and the highest cost of a fan-out. */
export interface CostEstimate {
  readonly agents: number;
  readonly likelyUsd: number;
  /** True if past runs of all their types are known; otherwise typical turns are assumed. */
  readonly isKnown: boolean;
  readonly mostUsd: number;
  readonly ground: EstimateBasis;
  readonly whose: EstimateInput["whose"];
}

const WINDOW_TOKENS = 200_000;
/** A typical run if none is known: the number of turns, and the tokens of each reply and its results. */
const TYPICAL = { turns: 8, reply: 500, results: 2_000 };

/** Returns null if it costs nothing, or if a price is not known: a figure without it would be wrong. */
export function estimateCost(
  candidates: readonly PlannedAgent[],
  { leftUsd, whose, past, prices = {} }: EstimateInput,
): CostEstimate | null {
  const most = candidates.map((candidate) => mostOf(candidate, prices));
  let usd = 0;
  let likely = 0;
  let isKnown = true;
  for (const [at, candidate] of candidates.entries()) {
    const bound = most[at] ?? null;
    if (bound === null) return null;
    const before = past(candidate.type, candidate.model);
    usd += bound.usd;
    likely += Math.min(bound.usd, before ?? typicalOf(candidate, prices));
    isKnown &&= before !== null;
  }
  if (usd === 0) return null;
  const own = groundOfAll(candidates.filter((_, at) => most[at]?.ground === "limits"));
  const bound = leftUsd < usd;
  return {
    ...{ agents: candidates.length, likelyUsd: Math.min(leftUsd, likely), isKnown, whose },
    ...{ mostUsd: bound ? leftUsd : usd, ground: bound ? "left" : own },
  };
}

/** Estimates a typical run: prefix and turns are written to the cache once and read from it later. */
function typicalOf({ model, maxTurns, prefixTokens }: PlannedAgent, own: OwnPrices): number {
  const { turns: typical, reply, results } = TYPICAL;
  const turns = Math.min(typical, maxTurns + 1);
  let usd = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    const before = turn === 0 ? 0 : prefixTokens + (turn - 1) * (reply + results);
    const fresh = turn === 0 ? prefixTokens : reply + results;
    const usage = { cache_creation_input_tokens: fresh, cache_read_input_tokens: before };
    usd += costOf(model, { input_tokens: 0, output_tokens: reply, ...usage }, own).usd;
  }
  return usd;
}

/** Returns the basis for the agents without a budget. */
function groundOfAll(unbound: readonly PlannedAgent[]): EstimateBasis {
  if (unbound.length === 0) return "budgets";
  return unbound.some(({ startsAgents }) => startsAgents) ? "limits-of-first" : "limits";
}

/**
 * Returns whether to ask the user, to notify (if no user can be asked), or null for neither. `aboveUsd` is
 * `troupe.quoteAboveUsd`. The likely cost decides: with the upper bound every fan-out would be a question. A single
 * agent needs no approval.
 */
export function approvalNeeded(
  { agents, likelyUsd }: CostEstimate,
  { aboveUsd, asks }: { readonly aboveUsd: number; readonly asks: boolean },
): "ask" | "say" | null {
  if (agents < 2) return null;
  if (aboveUsd > 0 && likelyUsd <= aboveUsd) return null;
  return asks ? "ask" : "say";
}

/** Formats `8 agents are likely to cost $1.20 (by past runs), and $4.00 at most (their budgets).` */
export function quoteSentence({ agents, likelyUsd, isKnown, mostUsd, ground, whose }: CostEstimate): string {
  const by = isKnown ? "by past runs" : "by typical runs";
  return `${formatCount(agents, "agent")} are likely to cost ${formatDollars(likelyUsd)} (${by}), and ${formatDollars(mostUsd)} at most (${groundOf(ground, whose)}).`;
}

function groundOf(ground: EstimateBasis, whose: EstimateInput["whose"]): string {
  switch (ground) {
    case "budgets":
      return "their budgets";
    case "left":
      return whose === "session"
        ? "what is left of this session's budget"
        : "what is left of its starter's budget";
    case "limits":
      return "all their turns with a full window, at list prices";
    case "limits-of-first":
      return "all their turns with a full window, at list prices, without the agents that they start";
    default:
      return ground satisfies never;
  }
}

/** Returns the most it may cost, or null if its price is not known. */
function mostOf(
  { model, budget, maxTurns, maxTokens, windowTokens = WINDOW_TOKENS }: PlannedAgent,
  own: OwnPrices,
): { readonly usd: number; readonly ground: "budgets" | "limits" } | null {
  const price = priceOf(model, windowTokens, own);
  if (price === undefined) return null;
  const { input, output } = dearest(price);
  if (input === 0 && output === 0) return { usd: 0, ground: "budgets" };
  const { usd = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = budget;
  const byBudget = Math.min(usd, (tokens * Math.max(input, output)) / 1_000_000);
  // One more turn, for the summary.
  const turns = Math.min(budget.turns ?? Number.POSITIVE_INFINITY, maxTurns + 1);
  const byLimits = (turns * (windowTokens * input + maxTokens * output)) / 1_000_000;
  return byBudget <= byLimits ? { usd: byBudget, ground: "budgets" } : { usd: byLimits, ground: "limits" };
}

/** A prompt costs most if all of it is written to a cache. */
function dearest({ input, output, cacheWrite, cacheRead }: Prices) {
  return { input: Math.max(input, cacheWrite, cacheRead), output };
}
