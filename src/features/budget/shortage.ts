import type { Kind } from "./budget.ts";
import { amount } from "./format.ts";

/** Whose purse an agent draws on, where it is not its own. */
export type Holder = "session" | "agent";

export interface Shortage {
  readonly kind: Kind;
  /** What the agent would have to begin with. */
  readonly needed: number;
  /** Neither spent, nor set aside, nor kept for summaries; may be below 0. */
  readonly free: number;
  readonly limit: number;
  readonly whose: Holder;
}

/** Why an agent is not started, for the model that asked for it. */
export function notEnough({ kind, needed, free, limit, whose }: Shortage): string {
  const budget = `${whose === "session" ? "this session's" : "your"} budget of ${amount(kind, limit)}`;
  const left = free > 0 ? `has only ${amount(kind, free)} left` : "has nothing left";
  const needs = needed > 0 ? `it needs ${amount(kind, needed)}, and ` : "";
  return `This agent was not started: ${needs}${budget} ${left}; what is missing is spent, or kept for agents that run. Do the task yourself, or answer with what you have.`;
}
