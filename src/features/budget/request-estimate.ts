import { type ContentBlockParam, noUsage, totalTokens, type Usage } from "../../mailbox/conversation.ts";
import type { Turn } from "../../mailbox/messages.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import { costOf, type OwnPrices } from "../../model/prices.ts";
import { type Amounts, nanosOf } from "./budget.ts";

/** What the next request of an agent is likely to take. Too much ends an agent early, too little overdraws. */
export interface RequestEstimate {
  readonly model: string;
  /** Tokens of the conversation as it would be sent now. */
  readonly promptTokens: number;
  /** Those of them that a cache is likely to serve (default 0). */
  readonly cachedTokens?: number;
  /** Of an ordinary reply. */
  readonly replyTokens: number;
  /** What such a turn adds to the conversation, its results too (default: the reply). */
  readonly growthTokens?: number;
  /** The most the summary may have: `maxTokens` of the last request. */
  readonly summaryTokens: number;
  /** Milliseconds that a reply takes (default 0). */
  readonly replyMs?: number;
}

/** What a request takes: an ordinary one now, the last one instead of it, the last one after it. */
export interface Prospect {
  readonly next: Amounts;
  readonly lastNow: Amounts;
  readonly lastLater: Amounts;
  /** The last one after it where no cache serves it: so much is held for it before it is sent. */
  readonly lastUncached: Amounts;
}

export function prospectOf(estimate: RequestEstimate, prices: OwnPrices): Prospect {
  const { promptTokens, cachedTokens = 0, replyTokens, summaryTokens } = estimate;
  const grown = promptTokens + (estimate.growthTokens ?? replyTokens);
  const taking = (prompt: number, output: number): Amounts => {
    const cache_read_input_tokens = Math.min(cachedTokens, prompt);
    const rest = prompt - cache_read_input_tokens;
    // Whoever is served from a cache pays for adding to it.
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

/** One reply. Money whose price is not known is none. */
export function amountsOf(model: string, usage: Usage, prices: OwnPrices): Amounts {
  return { usd: nanosOf(costOf(model, usage, prices).usd), tokens: totalTokens(usage), turns: 1 };
}

/** A count that is no number must not make a sum of all one that is none. */
export function soundUsage(usage: Usage): Usage {
  return {
    input_tokens: whole(usage.input_tokens),
    output_tokens: whole(usage.output_tokens),
    cache_creation_input_tokens: whole(usage.cache_creation_input_tokens),
    cache_read_input_tokens: whole(usage.cache_read_input_tokens),
  };
}

/** Characters of a token, rather too few; a picture or a page counts as what it is made of. */
const CHARS = 3;
const PICTURE_TOKENS = 1_600;
/** An ordinary reply where nothing is known yet. */
const REPLY_TOKENS = 1_000;

/** From the last turn that was taken: the next prompt is what it was, with what this turn has added. */
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
    // Whoever was served from a cache, or has just filled it, will be again.
    cachedTokens: served,
    replyTokens: Math.max(REPLY_TOKENS, usage.output_tokens),
    growthTokens: Math.max(REPLY_TOKENS, added),
    summaryTokens,
    ...(replyMs === undefined ? {} : { replyMs }),
  };
}

/** Before the first reply: from the texts that will be sent. */
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
