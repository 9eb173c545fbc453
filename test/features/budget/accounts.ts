import type { Budget } from "../../../src/features/budget/budget.ts";
import { BudgetLedger } from "../../../src/features/budget/ledger.ts";
import type { RequestEstimate } from "../../../src/features/budget/request-estimate.ts";
import { noUsage, type Usage } from "../../../src/mailbox/conversation.ts";
import { ActorId } from "../../../src/mailbox/ids.ts";

/** A dollar for a thousand tokens, of whatever kind. */
export const MODEL = "priced";
const A_DOLLAR = { input: 1000, output: 1000, cacheWrite: 1000, cacheRead: 1000 };
export const PRICES = { [MODEL]: A_DOLLAR };

export const id = (name: string): ActorId => ActorId.parse(`agent${name}`);

export function ledger(budget: Budget, clock = { now: () => 0 }): BudgetLedger {
  return new BudgetLedger(budget, { clock, prices: PRICES });
}

/** A reply of so many tokens. */
export function reply(tokens: number): Usage {
  return { ...noUsage, output_tokens: tokens };
}

/** A request that takes so many tokens, and a summary that takes so many. */
export function estimate(next: number, summary: number): RequestEstimate {
  return { model: MODEL, promptTokens: 0, replyTokens: next, growthTokens: 0, summaryTokens: summary };
}
