import { type Budget, tightest } from "../features/budget/budget.ts";
import type { SupervisorOptions } from "../session/options.ts";
import type { ReadSettings } from "../settings/read-settings.ts";
import type { Arguments } from "./arguments.ts";
import { sessionFlags as flags } from "./session-flags.ts";

/** What a session may use, by its flag and by settings: a flag wins, but not over what the organisation bounds. */
export function budgetOptions(
  args: Arguments,
  { settings: { budgets } }: ReadSettings,
): Pick<SupervisorOptions, "budget" | "agentBudgets" | "prices" | "quoteAboveUsd"> {
  const { agentBudgets, prices, quoteAboveUsd, mostBudgetUsd } = budgets;
  const usd = args.value(flags.maxBudgetUsd) ?? budgets.maxBudgetUsd;
  return {
    budget: tightest(dollars(usd), dollars(mostBudgetUsd)),
    agentBudgets,
    prices,
    ...(quoteAboveUsd === undefined ? {} : { quoteAboveUsd }),
  };
}

function dollars(usd: number | undefined): Budget {
  return usd === undefined ? {} : { usd };
}
