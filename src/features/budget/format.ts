import { type Kind, usdOf } from "./budget.ts";

/** $1,200.00, $0.48, $0.0042. */
export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.00005) return "less than $0.0001";
  const digits = usd >= 0.00995 || usd === 0 ? 2 : 4;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** 3 turns, 48,211 tokens, $0.48. */
export function amount(kind: Kind, value: number): string {
  return kind === "usd" ? dollars(usdOf(value)) : counted(value, kind === "tokens" ? "token" : "turn");
}

/** 48,211 of its 50,000 tokens. */
export function amountOf(kind: Kind, value: number, limit: number, whose: string): string {
  const used = kind === "usd" ? amount(kind, value) : value.toLocaleString("en-US");
  return `${used} of ${whose} ${amount(kind, limit)}`;
}

/** 90 s, 10 min, 12 min 30 s. */
export function span(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1_000);
  const rest = seconds % 60;
  if (seconds < 120 && rest !== 0) return `${seconds} s`;
  const minutes = `${Math.floor(seconds / 60)} min`;
  return rest === 0 ? minutes : `${minutes} ${rest} s`;
}

export function counted(count: number, one: string): string {
  return `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`;
}
