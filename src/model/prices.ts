import type { Usage } from "../mailbox/conversation.ts";
import { knownModel, ofModel, type Prices, plainId, pricesOf } from "./known-models.ts";

/** By ID, with its date or without; they override the known ones (`troupe.prices`). */
export type OwnPrices = Readonly<Record<string, Prices>>;

/** The cost of a reply. It is 0 and marked as unknown if there is no price. */
export interface Cost {
  readonly usd: number;
  readonly costKnown: boolean;
}

const HAIKU_5_5_LONG = pricesOf(0.5, 2.5, 0.625, 0.05);
/** Tokens of a prompt, cached ones included, above which Haiku 5.5 costs more. */
const LONG_PROMPT = 100_000;

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
  const isLong = plainId(model) === "claude-haiku-5-5" && promptTokens > LONG_PROMPT;
  return ofModel(own, model) ?? (isLong ? HAIKU_5_5_LONG : knownModel(model)?.prices);
}

function promptOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
