import { knownModel } from "./known-models.ts";

/** A reply takes no more of a window that must hold the conversation too, unless it is asked for. */
const REPLY_SHARE = 1 / 6;

/** Returns the tokens of one reply: what the user wants, or the model's own limit; never more than that. */
export function replyTokens(
  { maxTokens }: { readonly maxTokens: number },
  wanted: { readonly maxTokens?: number } | undefined,
  model: { readonly id: string; readonly window: number },
): number {
  const own = knownModel(model.id)?.output ?? null;
  if (own === null) return maxTokens;
  const isWanted = wanted?.maxTokens !== undefined && !Number.isNaN(wanted.maxTokens);
  return Math.min(own, isWanted ? maxTokens : Math.max(maxTokens, Math.floor(model.window * REPLY_SHARE)));
}
