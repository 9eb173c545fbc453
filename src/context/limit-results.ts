import { formatNumber } from "../lib/text.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { Bounds } from "./compaction/bounds.ts";
import { tokensOfBlocks, tokensOfCharacter, tokensOfText } from "./compaction/tokens.ts";

type Block = Exclude<CallResult["content"], string>[number];

/** The least share of a result. */
const LEAST_TOKENS = 60;
/** The share of a cut text that is its beginning; the rest is its end. */
const BEGINNING = 0.7;

/**
 * Fits the results of one reply into the window: each by itself, then all of them. Short ones stay whole; long ones lose
 * their middle.
 */
export function limitResults(
  results: readonly CallResult[],
  { result: one, results: all }: Pick<Bounds, "result" | "results">,
): CallResult[] {
  const sizes = results.map(({ content }) => Math.min(one, sizeOf(content)));
  const shares = sharesOf(sizes, all);
  return results.map((result, at) => {
    const share = shares[at] ?? one;
    if (sizeOf(result.content) <= share) return result;
    const why =
      share < one
        ? `all results of one reply together may have about ${all}`
        : `one result may have about ${one}`;
    return { ...result, content: cutContent(result.content, share, why) };
  });
}

export function roundTokens(tokens: number): string {
  return formatNumber(tokens < 1_000 ? tokens : Math.floor(tokens / 100) * 100);
}

function sizeOf(content: CallResult["content"]): number {
  return typeof content === "string" ? tokensOfText(content) : tokensOfBlocks(content);
}

/** Returns the share of each: small ones get all they need, large ones an equal part of the rest. */
function sharesOf(sizes: readonly number[], room: number): number[] {
  let left = room;
  let count = sizes.length;
  let level = Number.POSITIVE_INFINITY;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * count > left) {
      level = Math.max(LEAST_TOKENS, Math.floor(left / count));
      break;
    }
    left -= size;
    count -= 1;
  }
  return sizes.map((size) => Math.min(size, level));
}

function cutContent(content: CallResult["content"], tokens: number, why: string): CallResult["content"] {
  if (typeof content === "string") return cutText(content, tokens, why);
  const shares = sharesOf(
    content.map((block) => tokensOfBlocks([block])),
    tokens,
  );
  return content.map((block, at): Block => {
    const share = shares[at] ?? tokens;
    if (tokensOfBlocks([block]) <= share) return block;
    if (block.type === "text") return { ...block, text: cutText(block.text, share, why) };
    return { type: "text", text: `[This ${block.type} was left out: ${why} tokens in this context window.]` };
  });
}

function cutText(text: string, tokens: number, why: string): string {
  const size = tokensOfText(text);
  const mark = `[Cut here: this result has about ${roundTokens(size)} tokens, and ${why} in this context window. Ask for less at a time to see what is left out.]`;
  const room = Math.max(LEAST_TOKENS / 2, tokens - tokensOfText(mark));
  const start = beginning(text, room * BEGINNING);
  const end = ending(text.slice(start.length), room * (1 - BEGINNING));
  return `${start}\n${mark}\n${end}`;
}

/** Returns the beginning of a text in this many tokens, up to the end of a line if one is near. */
function beginning(text: string, tokens: number): string {
  let left = tokens;
  let end = 0;
  for (; end < text.length; end += 1) {
    left -= tokensOfCharacter(text.charCodeAt(end));
    if (left < 0) break;
  }
  const line = text.lastIndexOf("\n", end);
  return (line > end * 0.9 ? text.slice(0, line) : text.slice(0, end)).toWellFormed();
}

function ending(text: string, tokens: number): string {
  let left = tokens;
  let start = text.length;
  for (; start > 0; start -= 1) {
    left -= tokensOfCharacter(text.charCodeAt(start - 1));
    if (left < 0) break;
  }
  const line = text.indexOf("\n", start);
  const isNear = line >= 0 && line - start < (text.length - start) * 0.1;
  return text.slice(isNear ? line + 1 : start).toWellFormed();
}
