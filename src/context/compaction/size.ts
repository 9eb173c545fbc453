import { type ToolDefinition, totalTokens } from "../../mailbox/conversation.ts";
import { messagesOf, type Shown } from "./shown.ts";
import { tokensOfMessages, tokensOfPrefix, tokensOfText } from "./tokens.ts";

/** What stands before the conversation in every request. */
export interface Prefix {
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
}

/**
 * Tokens of the next request: what the API counted at the last reply, and an estimate of what has come since. Where it
 * has counted nothing, or something else since, all of it is estimated.
 */
export function sizeOf(shown: Shown, prefix: Prefix): number {
  return measured(shown) ?? estimated(shown, prefix);
}

/** A server that counts less than that does not count all of it. */
const LEAST_FACTOR = 0.5;

/** How much the API's count is above ours: a tokenizer's own. */
export function factorOf(shown: Shown, prefix: Prefix): number {
  const real = measured(shown);
  return real === null ? 1 : Math.max(LEAST_FACTOR, real / estimated(shown, prefix));
}

export function estimated(shown: Shown, { system, tools }: Prefix, compacted = shown.compacted): number {
  return tokensOfPrefix(system, tools) + tokensOfMessages(messagesOf(shown, compacted));
}

function measured({ turns, heard, compacted }: Shown): number | null {
  const last = turns.at(-1);
  if (last === undefined || (compacted !== null && compacted.turn >= last.turn)) return null;
  const { usage } = last;
  // A server that does not count says so with zeros.
  if (totalTokens(usage) === usage.output_tokens) return null;
  const results = last.messages.filter(({ role }) => role === "user");
  const said = heard.reduce((sum, { text }) => sum + tokensOfText(text), 0);
  return totalTokens(usage) + tokensOfMessages(results) + said;
}
