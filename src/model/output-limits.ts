/** As published at platform.claude.com (models) in October 2026; by ID without its date. */
const MOST: Readonly<Record<string, number>> = {
  "claude-opus-5-5": 128_000,
  "claude-opus-5": 128_000,
  "claude-opus-4-8": 128_000,
  "claude-opus-4-7": 128_000,
  "claude-opus-4-6": 128_000,
  "claude-opus-4-5": 64_000,
  "claude-opus-4-1": 32_000,
  "claude-opus-4": 32_000,
  "claude-sonnet-5-5": 128_000,
  "claude-sonnet-5": 128_000,
  "claude-sonnet-4-6": 128_000,
  "claude-sonnet-4-5": 64_000,
  "claude-sonnet-4": 64_000,
  "claude-haiku-5-5": 128_000,
  "claude-haiku-4-5": 64_000,
  "claude-fable-5-1": 128_000,
  "claude-mythos-5-1": 128_000,
  "claude-fable-5": 128_000,
  "claude-mythos-5": 128_000,
};

/** Returns the most tokens that one reply of the model may have, or null if that is not known. */
export function outputLimitOf(model: string): number | null {
  const id = model.replace(/-\d{8}$/, "");
  return Object.hasOwn(MOST, id) ? (MOST[id] ?? null) : null;
}

/** A reply takes no more of a window that must hold the conversation too, unless it is asked for. */
const REPLY_SHARE = 1 / 6;

/** Returns the tokens of one reply: what the user wants, or the model's own limit; never more than that. */
export function replyTokens(
  { maxTokens }: { readonly maxTokens: number },
  wanted: { readonly maxTokens?: number } | undefined,
  model: { readonly id: string; readonly window: number },
): number {
  const own = outputLimitOf(model.id);
  if (own === null) return maxTokens;
  const isWanted = wanted?.maxTokens !== undefined && !Number.isNaN(wanted.maxTokens);
  return Math.min(own, isWanted ? maxTokens : Math.max(maxTokens, Math.floor(model.window * REPLY_SHARE)));
}
