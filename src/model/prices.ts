import type { Usage } from "../mailbox/conversation.ts";

/** USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Kept for five minutes, the only type of breakpoint Troupe sets. */
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

/** By ID, with its date or without; they override the list below (`troupe.prices`). */
export type OwnPrices = Readonly<Record<string, Prices>>;

/** The cost of a reply. It is 0 and marked as unknown if there is no price. */
export interface Cost {
  readonly usd: number;
  readonly costKnown: boolean;
}

const prices = (input: number, output: number, cacheWrite: number, cacheRead: number): Prices => ({
  input,
  output,
  cacheWrite,
  cacheRead,
});

const FREE = prices(0, 0, 0, 0);
const HAIKU_5_5 = prices(0.1, 0.5, 0.125, 0.01);
const HAIKU_5_5_LONG = prices(0.5, 2.5, 0.625, 0.05);
/** Tokens of a prompt, cached ones included, above which Haiku 5.5 costs more. */
const LONG_PROMPT = 100_000;

/**
 * As published at platform.claude.com (pricing) in October 2026; by ID without its date. The price of a newer model is
 * not guessed from an older one.
 */
const PRICES: Readonly<Record<string, Prices>> = {
  "claude-opus-5-5": prices(4, 20, 5, 0.2),
  "claude-opus-5": prices(5, 25, 6.25, 0.5),
  "claude-opus-4-8": prices(5, 25, 6.25, 0.5),
  "claude-opus-4-7": prices(5, 25, 6.25, 0.5),
  "claude-opus-4-6": prices(5, 25, 6.25, 0.5),
  "claude-opus-4-5": prices(5, 25, 6.25, 0.5),
  "claude-opus-4-1": prices(15, 75, 18.75, 1.5),
  "claude-opus-4": prices(15, 75, 18.75, 1.5),
  "claude-sonnet-5-5": prices(2, 10, 2.5, 0.1),
  "claude-sonnet-5": prices(2, 10, 2.5, 0.2),
  "claude-sonnet-4-6": prices(3, 15, 3.75, 0.3),
  "claude-sonnet-4-5": prices(3, 15, 3.75, 0.3),
  "claude-sonnet-4": prices(3, 15, 3.75, 0.3),
  "claude-haiku-4-5": prices(1, 5, 1.25, 0.1),
  "claude-fable-5-1": prices(10, 50, 12.5, 0.25),
  "claude-mythos-5-1": prices(10, 50, 12.5, 0.25),
  "claude-fable-5": prices(10, 50, 12.5, 1),
  "claude-mythos-5": prices(10, 50, 12.5, 1),
  offline: FREE,
};

/** Returns the cost of one reply: prices may depend on the length of its prompt, so replies are not added up first. */
export function costOf(model: string, usage: Usage, own: OwnPrices = {}): Cost {
  const price = priceOf(model, promptOf(usage), own);
  if (!price) return { usd: 0, costKnown: false };
  const millionths =
    usage.input_tokens * price.input +
    usage.output_tokens * price.output +
    usage.cache_creation_input_tokens * price.cacheWrite +
    usage.cache_read_input_tokens * price.cacheRead;
  return { usd: millionths / 1_000_000, costKnown: true };
}

/** Returns the prices of a request with a prompt of that size, or undefined if they are unknown. */
export function priceOf(model: string, promptTokens: number, own: OwnPrices = {}): Prices | undefined {
  const id = model.replace(/-\d{8}$/, "");
  for (const name of [model, id]) if (Object.hasOwn(own, name)) return own[name];
  if (id === "claude-haiku-5-5") return promptTokens > LONG_PROMPT ? HAIKU_5_5_LONG : HAIKU_5_5;
  return Object.hasOwn(PRICES, id) ? PRICES[id] : undefined;
}

function promptOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
