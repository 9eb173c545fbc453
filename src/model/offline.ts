import type { ContentBlock, MessageParam } from "../mailbox/conversation.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelClient, ModelReply, ModelRequest } from "./client.ts";
import { cancelled } from "./failures.ts";
import { planOfflineReply, type ReplyPlan } from "./offline/decide.ts";

const OFFLINE = "offline";

/**
 * Returns the model that is always there: no key, no network, no server. It answers some fifteen sorts of question from what
 * its tools show, carries out instructions of exact forms, and says of everything else that it needs a model. Each
 * reply follows from the request alone, so any thread can continue a conversation.
 */
export function offlineModel(): ModelClient {
  return {
    name: OFFLINE,
    countTokens: async (request) => tokensOf(request),
    async ask(request, on, signal) {
      if (signal.aborted) return cancelled;
      const reply = replyOf(request, planOfflineReply(request));
      for (const block of reply.content) {
        if (block.type === "tool_use") on({ type: "call-begins", tool: block.name });
        if (block.type !== "text" || request.streamText !== true) continue;
        for (const text of block.text.split(/(?<=\n\n)/)) if (text !== "") on({ type: "text", text });
      }
      return signal.aborted ? cancelled : { type: "reply", reply };
    },
  };
}

function replyOf(request: ModelRequest, decision: ReplyPlan): ModelReply {
  const content = contentOf(request, decision);
  return {
    content,
    stopReason: "calls" in decision ? "tool_use" : decision.ok ? "end_turn" : "incomplete",
    usage: {
      input_tokens: tokensOf(request),
      output_tokens: Math.ceil(charactersIn(content) / 4),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
    model: OFFLINE,
    apiMs: 0,
  };
}

function contentOf(request: ModelRequest, decision: ReplyPlan): ContentBlock[] {
  if (!("calls" in decision)) return [{ type: "text", text: decision.text, citations: null }];
  const turn = unusedTurn(request.messages);
  return decision.calls.map(({ tool, input }, index) => ({
    type: "tool_use",
    id: `offline_${turn}_${index}`,
    name: tool,
    input,
    caller: { type: "direct" },
  }));
}

/** IDs follow from the length of the conversation; a compacted one may hold the IDs of a longer one already. */
function unusedTurn(messages: readonly MessageParam[]): number {
  const used = messages.flatMap(blocksOf).flatMap((block) => {
    return block.type === "tool_use" ? [Number(/^offline_(\d+)_/.exec(block.id)?.[1] ?? 0) + 1] : [];
  });
  return Math.max(messages.length, ...used);
}

/** An estimate, four characters to a token: the offline model has no tokenizer. */
function tokensOf({ system, tools, messages }: ModelRequest): number {
  return Math.ceil((charactersIn(system) + charactersIn(tools) + charactersIn(messages)) / 4);
}

/** Without making one string of it: a conversation may be a megabyte. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item: unknown) => sum + charactersIn(item), 0);
  if (typeof value !== "object" || value === null) return 4;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + charactersIn(item), 0);
}
