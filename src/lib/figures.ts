/** $1,200.00, $0.48, $0.0042. */
export function formatDollars(usd: number): string {
  if (usd > 0 && usd < 0.00005) return "less than $0.0001";
  const digits = usd >= 0.00995 || usd === 0 ? 2 : 4;
  return `$${usd.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
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

export function formatCount(count: number, one: string): string {
  return `${formatNumber(count)} ${one}${count === 1 ? "" : "s"}`;
}

/** 1,200. By hand, because the first number that Intl formats takes 5 ms. */
export function formatNumber(count: number): string {
  if (!Number.isInteger(count)) return count.toLocaleString("en-US");
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
