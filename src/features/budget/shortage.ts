import type { BudgetKind } from "./budget.ts";
import { amount } from "./format.ts";

/** Whose allowance an agent draws on if it has none of its own. */
export type BudgetHolder = "session" | "agent";

export interface Shortage {
  readonly kind: BudgetKind;
  /** What the agent needs at its start. */
  readonly needed: number;
  /** Neither spent nor set aside nor reserved for summaries; may be negative. */
  readonly free: number;
  readonly limit: number;
  readonly whose: BudgetHolder;
}

/** Formats for the calling model why an agent does not start. */
export function notEnough({ kind, needed, free, limit, whose }: Shortage): string {
  const budget = `${whose === "session" ? "this session's" : "your"} budget of ${amount(kind, limit)}`;
  const left = free > 0 ? `has only ${amount(kind, free)} left` : "has nothing left";
  const needs = needed > 0 ? `it needs ${amount(kind, needed)}, and ` : "";
  return `This agent was not started: ${needs}${budget} ${left}; what is missing is spent, or kept for agents that run. Do the task yourself, or answer with what you have.`;
}
