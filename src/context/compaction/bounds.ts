import type { ContextWindow } from "../../mailbox/compacted.ts";

/** Where nobody has said how large a model's window is. */
export const USUAL_WINDOW: ContextWindow = { tokens: 200_000, compactAt: 0.9, auto: true };

/** How much may be sent. All in tokens. */
export interface Bounds {
  /** The most a reply may have: `max_tokens` of every request. */
  readonly reply: number;
  /** A request of so many or more cannot be sent with an ordinary reply and a last answer after it (C24). */
  readonly full: number;
  /** At so many the conversation is made smaller (A19.1). */
  readonly limit: number;
  /** The most the recent turns may have that are kept as they are. */
  readonly recent: number;
  /** The same of what the person said, word for word. */
  readonly words: number;
  /** The most a summary may have. */
  readonly summary: number;
  /** The most one result of a call may have. */
  readonly result: number;
  /** The most all results of one reply may have. */
  readonly results: number;
}

/** No reply takes more of a small window. */
const REPLY_SHARE = 1 / 3;
/** Left for the last answer: the words that ask for it, and the steering that may come with them. */
const RESERVE_SHARE = 0.03;
const RESERVE_MOST = 4_000;
/** So that a summary that fails is no end yet: it may be tried again after the next turns. */
const BEFORE_FULL = 0.95;
const SUMMARY_MOST = 8_000;
/** So that a few results never fill what a conversation may have. */
const RESULT_SHARE = 0.2;
const RESULT_MOST = 50_000;
const RESULTS_SHARE = 0.35;
const RESULTS_MOST = 100_000;
/** A window in which nothing can be done is taken for one in which little can. */
const LEAST_WINDOW = 1_000;

/** `learned`: what the server said since, if that is less. */
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
  // Who thinks must be left something to answer with: the API refuses fewer tokens than are to be thought with.
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
