/** $0.0042, $0.42, $12.30; empty where nothing was paid. */
export function dollars(usd: number): string {
  if (usd <= 0) return "";
  return `$${usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}
