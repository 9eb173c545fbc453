import { formatCount, formatDollars, formatNumber } from "../../lib/figures.ts";
import { type BudgetKind, usdOf } from "./budget.ts";

/** Formats `3 turns`, `48,211 tokens` or `$0.48`. */
export function amount(kind: BudgetKind, value: number): string {
  return kind === "usd"
    ? formatDollars(usdOf(value))
    : formatCount(value, kind === "tokens" ? "token" : "turn");
}

/** Formats `48,211 of its 50,000 tokens`. */
export function amountOf(kind: BudgetKind, value: number, limit: number, whose: string): string {
  const used = kind === "usd" ? amount(kind, value) : formatNumber(value);
  return `${used} of ${whose} ${amount(kind, limit)}`;
}
