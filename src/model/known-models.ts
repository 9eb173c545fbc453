import type { Usage } from "../mailbox/conversation.ts";

/** USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Kept for five minutes, the only type of breakpoint Troupe sets. */
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

interface KnownModel {
  /** Tokens that a request and its reply may have together. */
  readonly window: number;
  /** The most tokens of one reply; null if it has no limit of its own. */
  readonly output: number | null;
  readonly prices: Prices;
}

/** Tokens of a window by model ID, which override the list below (`troupe.contextWindows`). */
export type OwnWindows = Readonly<Record<string, number>>;

/**
 * For an unknown model, usually on the user's own server. Too high a value costs one refused request, which says so.
 */
export const UNKNOWN_WINDOW = 200_000;
const MILLION = 1_000_000;

/**
 * As published at platform.claude.com (models, pricing) in November 2026; by ID without its date. The price of a newer model
 * is not guessed from an older one.
 */
const MODELS: Readonly<Record<string, KnownModel>> = {
  "claude-opus-5-5": published(MILLION, 128_000, 4, 20, 5, 0.2),
  "claude-opus-5": published(MILLION, 128_000, 5, 25, 6.25, 0.5),
  "claude-opus-4-8": published(MILLION, 128_000, 5, 25, 6.25, 0.5),
  "claude-opus-4-7": published(MILLION, 128_000, 5, 25, 6.25, 0.5),
  "claude-opus-4-6": published(MILLION, 128_000, 5, 25, 6.25, 0.5),
  "claude-opus-4-5": published(200_000, 64_000, 5, 25, 6.25, 0.5),
  "claude-opus-4-1": published(200_000, 32_000, 15, 75, 18.75, 1.5),
  "claude-opus-4": published(200_000, 32_000, 15, 75, 18.75, 1.5),
  "claude-sonnet-5-5": published(MILLION, 128_000, 2, 10, 2.5, 0.1),
  "claude-sonnet-5": published(MILLION, 128_000, 2, 10, 2.5, 0.2),
  "claude-sonnet-4-6": published(MILLION, 128_000, 3, 15, 3.75, 0.3),
  "claude-sonnet-4-5": published(200_000, 64_000, 3, 15, 3.75, 0.3),
  "claude-sonnet-4": published(200_000, 64_000, 3, 15, 3.75, 0.3),
  "claude-haiku-5-5": published(MILLION, 128_000, 0.1, 0.5, 0.125, 0.01),
  "claude-haiku-4-5": published(200_000, 64_000, 1, 5, 1.25, 0.1),
  "claude-fable-5-2": published(MILLION, 128_000, 8, 40, 10, 0.2),
  "claude-fable-5-1": published(MILLION, 128_000, 10, 50, 12.5, 0.25),
  "claude-mythos-5-1": published(MILLION, 128_000, 10, 50, 12.5, 0.25),
  "claude-fable-5": published(MILLION, 128_000, 10, 50, 12.5, 1),
  "claude-mythos-5": published(MILLION, 128_000, 10, 50, 12.5, 1),
  // It reads any input, and would search again for elided results.
  offline: { window: MILLION, output: null, prices: pricesOf(0, 0, 0, 0) },
};

function published(window: number, output: number, ...figures: Parameters<typeof pricesOf>): KnownModel {
  return { window, output, prices: pricesOf(...figures) };
}

export function pricesOf(input: number, output: number, cacheWrite: number, cacheRead: number): Prices {
  return { input, output, cacheWrite, cacheRead };
}

/** Returns what a table by ID has of a model, with its date or without. */
export function ofModel<T>(table: Readonly<Record<string, T>>, model: string): T | undefined {
  const unmarked = withoutLongMark(model);
  const name = [model, unmarked, plainId(unmarked)].find((one) => Object.hasOwn(table, one));
  return name === undefined ? undefined : table[name];
}

/** Claude Code's mark of a window of a million tokens, which no server knows. */
const LONG_MARK = /\[1m\]$/i;

export function hasLongMark(model: string): boolean {
  return LONG_MARK.test(model.trim());
}

/** Returns the ID as servers know it. */
export function withoutLongMark(model: string): string {
  return model.trim().replace(LONG_MARK, "");
}

export function knownModel(model: string): KnownModel | undefined {
  return ofModel(MODELS, model);
}

/** Returns the ID of a model without its date. */
export function plainId(model: string): string {
  return model.replace(/-\d{8}$/, "");
}

/** Returns the tokens that a model's request and reply may have together (A19.5): its own, not those of its parent. */
export function contextWindowOf(model: string, own: OwnWindows = {}): number {
  const usual = hasLongMark(model) ? MILLION : UNKNOWN_WINDOW;
  return ofModel(own, model) ?? knownModel(model)?.window ?? usual;
}

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
