import { totalTokens } from "../../mailbox/conversation.ts";
import { splitHistory } from "../../mailbox/shared-history.ts";
import { toolsInRequests } from "../../mailbox/turns.ts";
import { type CompactedView, messagesOf } from "./compacted-view.ts";
import { tokensOfMessages, tokensOfPrefix, tokensOfText } from "./tokens.ts";

/** What stands before the conversation in every request. */
export interface Prefix {
  readonly system: readonly string[];
  readonly tools: Parameters<typeof toolsInRequests>[0];
}

/**
 * Tokens of the next request: what the API counted at the last reply, and an estimate of what has come since. Where it
 * has counted nothing, or something else since, all of it is estimated; `ratio`: the API's count by ours, where it is
 * known of more than is shown now.
 */
export function sizeOf(shown: CompactedView, prefix: Prefix, ratio = 1): number {
  return measured(shown) ?? estimated(shown, prefix) * ratio;
}

/** A size, counted or not, by our estimate of the same: what makes other estimates sizes of that kind. */
export function ratioOf(shown: CompactedView, prefix: Prefix, size: number): number {
  return size / estimated(shown, prefix);
}

/** Of an estimate, how far it may be off; and so few tokens that no count is worth it. */
const OFF_BY = 0.5;
const FEW_TOKENS = 2_000;

/**
 * Whether an estimate decides if the next request is above or below this many tokens: nothing of it was counted yet, or
 * much has come since, and a real count could say otherwise.
 */
export function isDoubtful(shown: CompactedView, prefix: Prefix, limit: number): boolean {
  const size = sizeOf(shown, prefix);
  const guessed = measured(shown) === null ? size : since(shown);
  return guessed >= FEW_TOKENS && Math.abs(size - limit) <= guessed * OFF_BY;
}

/** A server that counts less than that does not count all of it. */
const LEAST_FACTOR = 0.5;

/** How much the API's count is above ours: a tokenizer's own, as far as it is believed. */
export function factorOf(ratio: number): number {
  return Math.max(LEAST_FACTOR, ratio);
}

export function estimated(
  shown: CompactedView,
  { system, tools }: Prefix,
  compacted = shown.compacted,
): number {
  return tokensOfPrefix(system, toolsInRequests(tools)) + tokensOfMessages(messagesOf(shown, compacted));
}

function measured(shown: CompactedView): number | null {
  const { turns, compacted } = shown;
  const last = turns.at(-1);
  if (last === undefined && compacted === null) return measuredBefore(shown);
  if (last === undefined || (compacted !== null && compacted.turn >= last.turn)) return null;
  const usage = last.lastUsage ?? last.usage;
  // A server that does not count says so with zeros.
  if (totalTokens(usage) === usage.output_tokens) return null;
  return totalTokens(usage) + since(shown);
}

/** What was counted for another, where a conversation begins with all of that one. */
function measuredBefore(shown: CompactedView): number | null {
  const { shared, messages } = splitHistory(shown.messages);
  if (shared === undefined || shared.count < shared.history.places.length) return null;
  const { counted } = shared.history;
  return counted === null ? null : counted + tokensOfMessages(messages) + since(shown);
}

/** What has come since the last reply. */
function since({ turns, heard }: CompactedView): number {
  const results = (turns.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
  return tokensOfMessages(results) + heard.reduce((sum, { text }) => sum + tokensOfText(text), 0);
}
