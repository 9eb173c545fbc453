import { type ContentBlock, type MessageParam, noUsage } from "../mailbox/conversation.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelClient, ModelReply, ModelRequest } from "./client.ts";
import { cancelled } from "./failures.ts";
import { planOfflineReply } from "./offline/decide.ts";
import type { ReplyPlan } from "./offline/plan.ts";

const OFFLINE = "offline";

/**
 * Returns the model that is always there: no key, no network, no server. It answers some fifteen sorts of question from what
 * its tools show, carries out instructions of exact forms, and says of everything else that it needs a model. Each
 * reply follows from the request alone, so any thread can continue a conversation.
 */
export function offlineModel(): ModelClient {
  return {
    name: OFFLINE,
    countTokens: async ({ system, tools, messages }) => tokensIn([system, tools, messages]),
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

function replyOf({ system, tools, messages }: ModelRequest, decision: ReplyPlan): ModelReply {
  const content = contentOf(messages, decision);
  const stopReason = "calls" in decision ? "tool_use" : decision.ok ? "end_turn" : "incomplete";
  const usage = {
    ...noUsage,
    input_tokens: tokensIn([system, tools, messages]),
    output_tokens: tokensIn(content),
  };
  return { content, stopReason, usage, model: OFFLINE, apiMs: 0 };
}

function contentOf(messages: readonly MessageParam[], decision: ReplyPlan): ContentBlock[] {
  if (!("calls" in decision)) return [{ type: "text", text: decision.text, citations: null }];
  const turn = unusedTurn(messages);
  return decision.calls.map(({ tool: name, input }, index) => {
    return { type: "tool_use", id: `offline_${turn}_${index}`, name, input, caller: { type: "direct" } };
  });
}

/** IDs follow from the length of the conversation; a compacted one may hold the IDs of a longer one already. */
function unusedTurn(messages: readonly MessageParam[]): number {
  const used = messages.flatMap(blocksOf).flatMap((block) => {
    return block.type === "tool_use" ? [Number(/^offline_(\d+)_/.exec(block.id)?.[1] ?? 0) + 1] : [];
  });
  return Math.max(messages.length, ...used);
}

/** An estimate, four characters to a token: the offline model has no tokenizer. */
function tokensIn(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
