import { type ContentBlockParam, noUsage, totalTokens, type Usage } from "../../mailbox/conversation.ts";
import type { Turn } from "../../mailbox/messages.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { costOf, type OwnPrices } from "../../model/known-models.ts";
import { type Amounts, nanosOf } from "./budget.ts";

/** What an agent's next request is likely to use. Too high ends an agent early, too low overdraws. */
export interface RequestEstimate {
  readonly model: string;
  /** Tokens of the conversation if it were sent now. */
  readonly promptTokens: number;
  /** Tokens of it that a cache is likely to serve (default 0). */
  readonly cachedTokens?: number;
  /** Of an ordinary reply. */
  readonly replyTokens: number;
  /** Tokens that such a turn adds to the conversation, with its results (default: the reply). */
  readonly growthTokens?: number;
  /** The most the summary may have: `maxTokens` of the last request. */
  readonly summaryTokens: number;
  /** Milliseconds that a reply takes (default 0). */
  readonly replyMs?: number;
}

/** What a request uses: an ordinary one now, the last one instead of it, the last one after it. */
export interface Prospect {
  readonly next: Amounts;
  readonly lastNow: Amounts;
  readonly lastLater: Amounts;
  /** The last one after it without a cache: this is held before it is sent. */
  readonly lastUncached: Amounts;
}

export function prospectOf(estimate: RequestEstimate, prices: OwnPrices): Prospect {
  const { promptTokens, cachedTokens = 0, replyTokens, summaryTokens } = estimate;
  const grown = promptTokens + (estimate.growthTokens ?? replyTokens);
  const taking = (prompt: number, output: number): Amounts => {
    const cache_read_input_tokens = Math.min(cachedTokens, prompt);
    const rest = prompt - cache_read_input_tokens;
    // A cached prompt pays for adding to the cache.
    const fresh = cachedTokens > 0 ? { cache_creation_input_tokens: rest } : { input_tokens: rest };
    const usage = soundUsage({ ...noUsage, ...fresh, cache_read_input_tokens, output_tokens: output });
    return amountsOf(estimate.model, usage, prices);
  };
  return {
    next: taking(promptTokens, replyTokens),
    lastNow: taking(promptTokens, summaryTokens),
    lastLater: taking(grown, summaryTokens),
    lastUncached: amountsOf(
      estimate.model,
      soundUsage({ ...noUsage, cache_creation_input_tokens: grown, output_tokens: summaryTokens }),
      prices,
    ),
  };
}

/** Returns the amounts of one reply. Unknown prices count as no money. */
export function amountsOf(model: string, usage: Usage, prices: OwnPrices): Amounts {
  return { usd: nanosOf(costOf(model, usage, prices).usd), tokens: totalTokens(usage), turns: 1 };
}

/** Replaces counts that are not numbers, which would spoil every sum. */
export function soundUsage(usage: Usage): Usage {
  return {
    input_tokens: whole(usage.input_tokens),
    output_tokens: whole(usage.output_tokens),
    cache_creation_input_tokens: whole(usage.cache_creation_input_tokens),
    cache_read_input_tokens: whole(usage.cache_read_input_tokens),
  };
}

/** Characters of a token, rather too few; an image or a page counts as its encoded text. */
const CHARS = 3;
const PICTURE_TOKENS = 1_600;
/** Tokens of an ordinary reply before anything is known. */
const REPLY_TOKENS = 1_000;

/** Estimates from the last turn: the next prompt is the last one plus what this turn added. */
export function estimateAfter(
  turn: Pick<Turn, "usage" | "lastUsage" | "messages">,
  { model, summaryTokens, replyMs }: Pick<RequestEstimate, "model" | "summaryTokens" | "replyMs">,
): RequestEstimate {
  const usage = turn.lastUsage ?? turn.usage;
  const served = usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const before = served + usage.input_tokens;
  const heard = turn.messages.filter(({ role }) => role === "user").flatMap(blocksOf);
  const added = usage.output_tokens + heard.reduce((sum, block) => sum + tokensOf(block), 0);
  return {
    model,
    promptTokens: before + added,
    // A cache that served or was filled once is likely to serve again.
    cachedTokens: served,
    replyTokens: Math.max(REPLY_TOKENS, usage.output_tokens),
    growthTokens: Math.max(REPLY_TOKENS, added),
    summaryTokens,
    ...(replyMs === undefined ? {} : { replyMs }),
  };
}

/** Estimates before the first reply, from the texts that will be sent. */
export function estimateAtStart(
  texts: readonly string[],
  { model, summaryTokens }: Pick<RequestEstimate, "model" | "summaryTokens">,
): RequestEstimate {
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return { model, promptTokens: Math.ceil(chars / CHARS), replyTokens: REPLY_TOKENS, summaryTokens };
}

function tokensOf(block: ContentBlockParam): number {
  switch (block.type) {
    case "text":
      return Math.ceil(block.text.length / CHARS);
    case "tool_result": {
      const { content = "" } = block;
      if (typeof content === "string") return Math.ceil(content.length / CHARS);
      return content.reduce(
        (sum, inner) => sum + (inner.type === "text" ? tokensOf(inner) : PICTURE_TOKENS),
        0,
      );
    }
    default:
      return PICTURE_TOKENS;
  }
}

function whole(count: number): number {
  return count > 0 ? Math.ceil(count) : 0;
}
