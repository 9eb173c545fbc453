import { type OwnPrices, type Prices, priceOf } from "../../model/prices.ts";
import type { Budget } from "./budget.ts";
import { counted, dollars } from "./words.ts";

/** An agent that a reply wants to start. */
export interface Candidate {
  /** Full id. */
  readonly model: string;
  readonly budget: Budget;
  readonly maxTurns: number;
  /** Of one reply. */
  readonly maxTokens: number;
  /** Whether it may start others: what they cost is in its budget, but not in its limits. */
  readonly startsAgents?: boolean;
  /** Of its context window (default 200,000). */
  readonly windowTokens?: number;
}

/** What is known before they start. */
export interface Known {
  /** In the purse that they draw on; infinity: no limit. */
  readonly leftUsd: number;
  readonly whose: "session" | "agent";
  /** Agents of this session that have ended. */
  readonly past: { readonly agents: number; readonly usd: number };
  readonly prices?: OwnPrices;
}

/** What the figure rests on. `limits`: turns and windows at list prices, which an agent hardly ever comes near;
 * `limits-of-first`: without the agents that these start. */
export type Ground = "budgets" | "left" | "limits" | "limits-of-first";

/** What a fan-out may cost at most, next to what agents have cost so far. */
export interface Quote {
  readonly agents: number;
  readonly usd: number;
  readonly ground: Ground;
  readonly whose: Known["whose"];
  readonly past: Known["past"];
}

const WINDOW_TOKENS = 200_000;

/** Null: it costs nothing, or a price is not known, and a figure without it would be wrong. */
export function quote(
  candidates: readonly Candidate[],
  { leftUsd, whose, past, prices = {} }: Known,
): Quote | null {
  const most = candidates.map((candidate) => mostOf(candidate, prices));
  let usd = 0;
  for (const one of most) {
    if (one === null) return null;
    usd += one.usd;
  }
  if (usd === 0) return null;
  const own = groundOfAll(candidates.filter((_, at) => most[at]?.ground === "limits"));
  const bound = leftUsd < usd;
  return { agents: candidates.length, usd: bound ? leftUsd : usd, ground: bound ? "left" : own, whose, past };
}

/** Of what budgets do not bound. */
function groundOfAll(unbound: readonly Candidate[]): Ground {
  if (unbound.length === 0) return "budgets";
  return unbound.some(({ startsAgents }) => startsAgents) ? "limits-of-first" : "limits";
}

/** Agents that must have ended before their average says something. */
const ENOUGH_PAST = 3;

/**
 * Whether a person is to be asked, or told where nobody can be asked; null: neither. `aboveUsd` is
 * `troupe.quoteAboveUsd`. Where only limits bound the cost, what agents have cost so far decides as soon as it is
 * known: their limits would make a question of every fan-out. A single agent is none.
 */
export function whetherQuoted(
  { agents, usd, ground, past }: Quote,
  { aboveUsd, asks }: { readonly aboveUsd: number; readonly asks: boolean },
): "ask" | "say" | null {
  if (agents < 2) return null;
  const known = ground !== "budgets" && ground !== "left" && past.agents >= ENOUGH_PAST;
  const likely = known ? (past.usd / past.agents) * agents : usd;
  if (aboveUsd > 0 && likely <= aboveUsd) return null;
  return asks ? "ask" : "say";
}

/** 8 agents may cost up to $1.20 (what is left of this session's budget); the 5 so far cost $0.03 each on average. */
export function quoteSentence({ agents, usd, ground, whose, past }: Quote): string {
  const may = `${counted(agents, "agent")} may cost up to ${dollars(usd)} (${groundOf(ground, whose)})`;
  if (past.agents === 0) return `${may}.`;
  if (past.agents === 1) return `${may}; the one so far cost ${dollars(past.usd)}.`;
  return `${may}; the ${past.agents} so far cost ${dollars(past.usd / past.agents)} each on average.`;
}

function groundOf(ground: Ground, whose: Known["whose"]): string {
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

/** Null where its price is not known. */
function mostOf(
  { model, budget, maxTurns, maxTokens, windowTokens = WINDOW_TOKENS }: Candidate,
  own: OwnPrices,
): { readonly usd: number; readonly ground: "budgets" | "limits" } | null {
  const price = priceOf(model, windowTokens, own);
  if (price === undefined) return null;
  const { input, output } = dearest(price);
  if (input === 0 && output === 0) return { usd: 0, ground: "budgets" };
  const { usd = Number.POSITIVE_INFINITY, tokens = Number.POSITIVE_INFINITY } = budget;
  const byBudget = Math.min(usd, (tokens * Math.max(input, output)) / 1_000_000);
  // One more: the summary.
  const turns = Math.min(budget.turns ?? Number.POSITIVE_INFINITY, maxTurns + 1);
  const byLimits = (turns * (windowTokens * input + maxTokens * output)) / 1_000_000;
  return byBudget <= byLimits ? { usd: byBudget, ground: "budgets" } : { usd: byLimits, ground: "limits" };
}

/** A prompt costs most where all of it has to be written to a cache. */
function dearest({ input, output, cacheWrite, cacheRead }: Prices) {
  return { input: Math.max(input, cacheWrite, cacheRead), output };
}
