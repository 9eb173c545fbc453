import { type Compacted, withoutResults } from "../../mailbox/compacted.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import type { Turn } from "../../mailbox/messages.ts";
import { toolsInRequests } from "../../mailbox/turns.ts";
import { type CompactedView, messagesOfView } from "./compacted-view.ts";
import { tokensOfMessages, tokensOfPrefix, tokensOfText } from "./tokens.ts";

/** What comes before the conversation in every request. */
export interface Prefix {
  readonly system: readonly string[];
  readonly tools: Parameters<typeof toolsInRequests>[0];
}

/**
 * Returns the tokens of the next request: what the API counted at the last reply, and an estimate of what has come since.
 * If the API has not counted this conversation, all of it is estimated; `ratio`: the API's count by ours.
 */
export function viewSize(shown: CompactedView, prefix: Prefix, ratio = 1): number {
  return measured(shown) ?? estimated(shown, prefix) * ratio;
}

/** Returns a size divided by our estimate of the same, to correct other estimates. */
export function ratioOf(shown: CompactedView, prefix: Prefix, size: number): number {
  return size / estimated(shown, prefix);
}

/** The error of an estimate, and the tokens below which a count is not worth it. */
const OFF_BY = 0.5;
const FEW_TOKENS = 2_000;

/**
 * True if only an estimate says whether the next request is above or below `limit`: it was not counted, or much has come
 * since, and a real count could differ.
 */
export function isDoubtful(shown: CompactedView, prefix: Prefix, limit: number): boolean {
  const size = viewSize(shown, prefix);
  const guessed = measured(shown) === null ? size : since(shown);
  return guessed >= FEW_TOKENS && Math.abs(size - limit) <= guessed * OFF_BY;
}

/** A server that counts less does not count everything. */
const LEAST_FACTOR = 0.5;

/** Returns the API's count divided by ours, as far as it is plausible. */
export function factorOf(ratio: number): number {
  return Math.max(LEAST_FACTOR, ratio);
}

export function estimated(
  shown: CompactedView,
  { system, tools }: Prefix,
  compacted = shown.compacted,
): number {
  return tokensOfPrefix(system, toolsInRequests(tools)) + tokensOfMessages(messagesOfView(shown, compacted));
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

/** Returns what was counted for another conversation, if this one starts with all of it. */
function measuredBefore(shown: CompactedView): number | null {
  const { counted, messages } = shown;
  return counted === null
    ? null
    : counted.tokens + tokensOfMessages(messages.slice(counted.messages)) + since(shown);
}

/** Returns the tokens since the last reply. */
function since({ turns, heard }: CompactedView): number {
  const results = (turns.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
  return tokensOfMessages(results) + heard.reduce((sum, { text }) => sum + tokensOfText(text), 0);
}

/** Turns whose results stay as long as there is another way (A19.2). */
export const RECENT_TURNS = 3;
/** Turns that stay at most if the user requests a compaction. */
const TURNS_BY_HAND = 2;

/** Returns the turn up to which results may be removed. */
export function elidableTurn({ turns }: Pick<CompactedView, "turns">): number {
  return (turns.at(-1)?.turn ?? 0) - RECENT_TURNS;
}

/** Returns the tokens that are saved by removing results up to this turn. */
export function tokensSavedByEliding(
  { id, turns }: CompactedView,
  compacted: Compacted,
  upTo: number,
): number {
  const { elided, through } = compacted;
  return turns
    .filter(({ turn }) => turn > Math.max(elided, through) && turn <= upTo)
    .reduce((sum, { messages, turn }) => {
      const without = withoutResults(messages, turn, { actor: id, ...compacted });
      return sum + tokensOfMessages(messages) - tokensOfMessages(without);
    }, 0);
}

/**
 * Returns the last turn that goes into a summary, so that at most `recent` tokens stay; whole turns, so that no call is
 * separated from its result. Null if nothing would go.
 */
export function lastSummarised(shown: CompactedView, recent: number, byHand: boolean): number | null {
  const { turns, compacted, messages } = shown;
  // Our estimate may say that all would fit where the API has counted that it does not.
  const most = byHand ? TURNS_BY_HAND : turnsWithin(shown, recent);
  const keeps = byHand || turns.length > 1 ? Math.min(most, turns.length - 1) : most;
  const through = turns.at(-1 - keeps)?.turn ?? null;
  if (through !== null) return through;
  // All turns stay; but an inherited history can go.
  const inherited = compacted === null || compacted.messages.length === 0 ? messages.length > 1 : false;
  return inherited ? (compacted?.through ?? 0) : null;
}

/** The newest turn always stays. */
function turnsWithin({ id, turns, compacted }: CompactedView, recent: number): number {
  let left = recent;
  let count = 0;
  for (const turn of turns.toReversed()) {
    left -= tokensOfMessages(asShown(turn, id, compacted));
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

function asShown({ turn, messages }: Turn, actor: string, compacted: CompactedView["compacted"]) {
  if (compacted === null || turn > compacted.elided) return messages;
  return withoutResults(messages, turn, { actor, ...compacted });
}
