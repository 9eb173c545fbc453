import type { AgentLimits, ModelPrices } from "./budget-checks.ts";
import { catalogue } from "./catalogue.ts";
import type { Leaf } from "./leaves.ts";
import type { SettingsFile } from "./settings-file.ts";
import { entriesIn, type Said, said, valuesIn } from "./values-in.ts";

/** What settings say about budgets; what is absent nobody says. */
export interface BudgetSettings
  extends Said<Pick<typeof catalogue.budget, "maxBudgetUsd" | "quoteAboveUsd">> {
  /** The organisation's: no flag goes above it. */
  readonly mostBudgetUsd?: number;
  /** Of every file; where a type is named more than once the smallest of each limit counts. */
  readonly agentBudgets: readonly AgentBudget[];
  /** By full id. */
  readonly prices: Readonly<Record<string, ModelPrices>>;
}

/** As somebody wrote it: types are matched as everywhere, whatever their case and separators. */
export interface AgentBudget extends AgentLimits {
  readonly type: string;
}

/** `counted`: what counts of all files together. */
export function budgetSettings(files: readonly SettingsFile[], counted: readonly Leaf[]): BudgetSettings {
  const { maxBudgetUsd, agentBudgets, prices, quoteAboveUsd } = catalogue.budget;
  const theirs = files.filter(({ scope }) => scope === "enterprise").flatMap(({ leaves }) => leaves);
  return {
    ...said(counted, { maxBudgetUsd, quoteAboveUsd }),
    ...said(theirs, { mostBudgetUsd: maxBudgetUsd }),
    agentBudgets: valuesIn(counted, agentBudgets).flatMap((budgets) =>
      Object.entries(budgets).map(([type, limits]) => ({ type, ...limits })),
    ),
    prices: entriesIn(counted, prices),
  };
}
