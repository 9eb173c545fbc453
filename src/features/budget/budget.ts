import { plainName } from "../../lib/near-name.ts";
import { formatCount, formatDollars, formatNumber } from "../../lib/text.ts";
import type { AgentBudget } from "../../settings/read-settings.ts";

/** Limits of an agent and everything below it together; an absent one is no limit. */
export interface Budget {
  /** All tokens that models read and write for it, cached ones too. */
  readonly tokens?: number;
  readonly usd?: number;
  /** Replies. */
  readonly turns?: number;
  /** Milliseconds from its start. Time passes for all agents together: it is never shared out and never returned. */
  readonly ms?: number;
}

/** The kinds that can be shared out. */
export type BudgetKind = "usd" | "tokens" | "turns";

/** In the order in which limits are named if several are reached. */
export const KINDS: readonly BudgetKind[] = ["usd", "tokens", "turns"];

/** Whole numbers, so that sums are exact: money is in billionths of a dollar. */
export type Amounts = Readonly<Record<BudgetKind, number>>;

export const nothing: Amounts = { usd: 0, tokens: 0, turns: 0 };

const NANOS = 1_000_000_000;

export function nanosOf(usd: number): number {
  return usd === Number.POSITIVE_INFINITY ? usd : Math.round(usd * NANOS);
}

export function usdOf(nanos: number): number {
  return nanos / NANOS;
}

/**
 * Returns the limit in whole numbers, or undefined for no limit. NaN counts as 0: a limit must never disable itself.
 */
export function limitIn(budget: Budget, kind: BudgetKind): number | undefined {
  const limit = budget[kind];
  if (limit === undefined || limit === Number.POSITIVE_INFINITY) return undefined;
  const whole = kind === "usd" ? nanosOf(limit) : Math.floor(limit);
  return whole > 0 ? whole : 0;
}

/** Returns the smaller of each limit, so that each budget can only narrow the others. */
export function tightestBudget(...budgets: readonly Budget[]): Budget {
  const smallest = (name: keyof Budget) => {
    const limits = budgets.flatMap((budget) => budget[name] ?? []);
    return limits.length === 0 ? {} : { [name]: Math.min(...limits) };
  };
  return { ...smallest("tokens"), ...smallest("usd"), ...smallest("turns"), ...smallest("ms") };
}

const MINUTE_MS = 60_000;

/**
 * Returns the budget from settings for a type. `minutes` holds for any agent (`troupe.agentMinutes`); 0 is no limit.
 */
export function budgetOfType(names: readonly string[], budgets: readonly AgentBudget[], minutes = 0): Budget {
  const wanted = new Set(names.map(plainName));
  const own = budgets.filter(({ type }) => wanted.has(plainName(type)));
  return tightestBudget(
    minutes > 0 ? { ms: minutes * MINUTE_MS } : {},
    ...own.map(({ type: _, minutes: most, ...rest }) => ({
      ...rest,
      ...(most === undefined ? {} : { ms: most * MINUTE_MS }),
    })),
  );
}

/** Formats `3 turns`, `48,211 tokens` or `$0.48`. */
export function amount(kind: BudgetKind, value: number): string {
  return kind === "usd"
    ? formatDollars(usdOf(value))
    : formatCount(value, kind === "tokens" ? "token" : "turn");
}

/** Formats `48,211 of its 50,000 tokens`. */
export function amountOf(kind: BudgetKind, value: number, limit: number): string {
  const used = kind === "usd" ? amount(kind, value) : formatNumber(value);
  return `${used} of its ${amount(kind, limit)}`;
}
