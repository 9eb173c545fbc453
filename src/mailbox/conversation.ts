import type Anthropic from "@anthropic-ai/sdk";
import * as z from "zod/mini";

/**
 * A conversation has the Messages API's own types: images, documents and thinking survive, and nothing is converted.
 * Types only; the SDK is not loaded where a conversation is merely passed on.
 */
export type MessageParam = Anthropic.MessageParam;
export type ContentBlock = Anthropic.ContentBlock;
export type ContentBlockParam = Anthropic.ContentBlockParam;
export type ToolUseBlock = Anthropic.ToolUseBlock;
export type ToolResultBlockParam = Anthropic.ToolResultBlockParam;

/** Text, or blocks of text, images and documents. */
export type ToolResultContent = Exclude<ToolResultBlockParam["content"], undefined>;
export const ToolResultContent: z.ZodMiniType<ToolResultContent> = z.custom<ToolResultContent>(
  (value) => typeof value === "string" || Array.isArray(value),
  "not the content of a tool_result",
);

/** Checks the outline only: the blocks are the provider's and are stored as received. */
export const Message: z.ZodMiniType<MessageParam> = z.custom<MessageParam>((value) => {
  if (typeof value !== "object" || value === null) return false;
  const { role, content } = value as { role?: unknown; content?: unknown };
  return (role === "user" || role === "assistant") && (typeof content === "string" || Array.isArray(content));
}, "not a message of the Messages API");

/** An image as a user message has it. */
export const Picture = z.object({
  type: z.literal("image"),
  source: z.object({
    type: z.literal("base64"),
    media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
    data: z.string(),
  }),
});
export type Picture = z.infer<typeof Picture>;

/** The blocks of a whole reply, checked as little. */
export const ReplyContent: z.ZodMiniType<ContentBlock[]> = z.custom<ContentBlock[]>(
  (value) => Array.isArray(value),
  "not the content of a reply",
);

/** What a model sees of one tool (A1.17): exactly name, description and schema. */
export const ToolDefinition = z.object({
  name: z.string(),
  description: z.string(),
  input_schema: z.looseObject({ type: z.literal("object") }),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** Tokens, named as the API names them. */
export const Usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_creation_input_tokens: z.number(),
  cache_read_input_tokens: z.number(),
});
export type Usage = z.infer<typeof Usage>;

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  };
}

/** Returns what came after `before`, of the same count. */
export function usageSince(now: Usage, before: Usage): Usage {
  return {
    input_tokens: now.input_tokens - before.input_tokens,
    output_tokens: now.output_tokens - before.output_tokens,
    cache_creation_input_tokens: now.cache_creation_input_tokens - before.cache_creation_input_tokens,
    cache_read_input_tokens: now.cache_read_input_tokens - before.cache_read_input_tokens,
  };
}

/** Returns all tokens that a model read or wrote. */
export function totalTokens(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.output_tokens +
    usage.cache_creation_input_tokens +
    usage.cache_read_input_tokens
  );
}

/** Returns the text blocks of a reply, joined. */
export function textOf(content: readonly (ContentBlock | ContentBlockParam)[]): string {
  return content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
}
