import type { ContextWindow } from "../../mailbox/compacted.ts";
import type { ModelOutcome } from "../../model/client.ts";

/** The window of a model if its size is not known. */
export const USUAL_WINDOW: ContextWindow = { tokens: 200_000, compactAt: 0.9, auto: true };

/** Limits of a request, in tokens. */
export interface Bounds {
  /** The most of a reply: `max_tokens` of every request. */
  readonly reply: number;
  /** From this size a request leaves no room for an ordinary reply and a last one after it (C24). */
  readonly full: number;
  /** From this size the conversation is compacted (A19.1). */
  readonly limit: number;
  /** The most of recent turns that are kept unchanged. */
  readonly recent: number;
  /** The most of the user's messages that are kept verbatim. */
  readonly words: number;
  /** The most of a summary. */
  readonly summary: number;
  /** The most of one result. */
  readonly result: number;
  /** The most of all results of one reply. */
  readonly results: number;
}

/** The most of a small window for a reply. */
const REPLY_SHARE = 1 / 3;
/** Left for the last reply: the text that asks for it, and steering that may come with it. */
const RESERVE_SHARE = 0.03;
const RESERVE_MOST = 4_000;
/** Leaves room to try again after a summary fails. */
const BEFORE_FULL = 0.95;
const SUMMARY_MOST = 16_000;
/** A few results must never fill a conversation. */
const RESULT_SHARE = 0.2;
const RESULT_MOST = 50_000;
const RESULTS_SHARE = 0.35;
const RESULTS_MOST = 100_000;
/** A smaller window would allow nothing. */
const LEAST_WINDOW = 1_000;

/** `learned`: a smaller window that the server has reported. */
export function boundsOf(
  window: ContextWindow,
  {
    maxTokens,
    thinkingTokens = 0,
  }: { readonly maxTokens: number; readonly thinkingTokens?: number | undefined },
  learned = Number.POSITIVE_INFINITY,
): Bounds {
  const tokens = Math.max(LEAST_WINDOW, Math.min(window.tokens, learned));
  const share = (part: number) => Math.floor(tokens * part);
  // The API requires more tokens than the thinking budget.
  const least = thinkingTokens > 0 ? Math.min(maxTokens, thinkingTokens + 1_024) : 1;
  const reply = Math.max(least, Math.min(maxTokens, share(REPLY_SHARE)));
  const full = Math.max(1, tokens - reply - Math.min(RESERVE_MOST, share(RESERVE_SHARE)));
  const limit = Math.max(1, Math.min(Math.floor(full * BEFORE_FULL), share(window.compactAt)));
  return {
    reply,
    full,
    limit,
    recent: Math.floor(limit * 0.3),
    words: Math.floor(limit * 0.1),
    result: Math.max(100, Math.min(RESULT_MOST, Math.floor(limit * RESULT_SHARE))),
    results: Math.max(175, Math.min(RESULTS_MOST, Math.floor(limit * RESULTS_SHARE))),
    summary: Math.max(200, Math.min(reply, SUMMARY_MOST, Math.floor(limit * 0.15))),
  };
}

/** How servers report their window; the number is its size. */
const SAID = [
  /(?:tokens|\d)\s*>\s*(\d[\d,_]*)/i,
  /(?:maximum number of tokens allowed|token limit|must be <=|exceeds the limit of)\D{0,3}(\d[\d,_]*)/i,
  /maximum (?:prompt|input|model) length(?: of this model)? is (\d[\d,_]*)/i,
  /range of input length should be \[\d+, (\d+)\]/i,
  /maximum context (?:length|window)(?: of this model)? is (\d[\d,_]*)/i,
  /context (?:length|window|size)(?:(?!\bby\b)\D){0,20}(\d[\d,_]*)/i,
];
const LEAST = 1_000;

/** Returns the reported window if the conversation was too long for the server; null otherwise (fault 8). */
export function overflowOf(outcome: ModelOutcome): { readonly window: number | null } | null {
  if (outcome.type === "reply")
    return outcome.reply.stopReason === "model_context_window_exceeded" ? { window: null } : null;
  const { kind, message } = outcome.failure;
  return kind === "too_large" ? { window: windowIn(message) } : null;
}

function windowIn(message: string): number | null {
  for (const pattern of SAID) {
    const tokens = Number(pattern.exec(message)?.[1]?.replaceAll(/[,_]/g, ""));
    if (tokens >= LEAST) return tokens;
  }
  return null;
}
