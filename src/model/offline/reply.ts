import type { ContentBlock, MessageParam, Usage } from "../../mailbox/conversation.ts";
import { blocksOf } from "../../mailbox/turns.ts";
import type { ModelReply, ModelRequest } from "../client.ts";
import type { Decision } from "./decide.ts";

export const OFFLINE = "offline";

/** The decision in the form of any model's reply. Nothing was sent anywhere, so no time passed in a request. */
export function replyOf(request: ModelRequest, decision: Decision): ModelReply {
  const content = contentOf(request, decision);
  return {
    content,
    stopReason: decision.type === "calls" ? "tool_use" : "end_turn",
    usage: usageOf(request, content),
    model: OFFLINE,
    apiMs: 0,
  };
}

function contentOf(request: ModelRequest, decision: Decision): ContentBlock[] {
  if (decision.type === "text") return [{ type: "text", text: decision.text, citations: null }];
  const turn = freeTurn(request.messages);
  return decision.wishes.map(({ tool, input }, index) => ({
    type: "tool_use",
    id: `offline_${turn}_${index}`,
    name: tool,
    input,
    caller: { type: "direct" },
  }));
}

/** Ids follow from the place in the conversation; one that was shortened may hold a later place's ids already. */
function freeTurn(messages: readonly MessageParam[]): number {
  const used = messages
    .flatMap((message) => blocksOf(message))
    .flatMap((block) =>
      block.type === "tool_use" ? [Number(/^offline_(\d+)_/.exec(block.id)?.[1] ?? 0)] : [],
    );
  return used.reduce((most, turn) => Math.max(most, turn + 1), messages.length);
}

/** An estimate, four characters to a token: nothing was counted by a tokenizer, and nothing was cached. */
function usageOf(request: ModelRequest, content: readonly ContentBlock[]): Usage {
  return {
    input_tokens: countOf(request),
    output_tokens: Math.ceil(charactersIn(content) / 4),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

/** As its usage says it. */
export function countOf({ system, tools, messages }: ModelRequest): number {
  return Math.ceil((charactersIn(system) + charactersIn(tools) + charactersIn(messages)) / 4);
}

/** Without making one string of it: a conversation may be a megabyte. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + charactersIn(item), 0);
  if (typeof value !== "object" || value === null) return 4;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + charactersIn(item), 0);
}
