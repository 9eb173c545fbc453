import { type ContentBlock, type MessageParam, noUsage } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import { blocksOf } from "../mailbox/turns.ts";
import type { ModelClient, ModelReply, ModelRequest } from "./client.ts";
import { cancelled } from "./failures.ts";
import { answer, isAnswerable, questionsIn } from "./offline/answer.ts";
import { type Messages, textsOf, type Unanswered, unanswered, wantedNotes } from "./offline/conversation.ts";
import { carryOut, instructionsIn } from "./offline/instructions.ts";
import {
  advance,
  joinResults,
  type OfflinePlan,
  type PlanResult,
  type ReplyPlan,
  together,
  unsure,
} from "./offline/plan.ts";
import { resolveConflict } from "./offline/resolve-conflict.ts";
import { paragraphsAbout } from "./offline/search.ts";
import { type OfflineTools, offeredTools } from "./offline/tools.ts";

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

/** Decides by the request alone, without any state. */
export function planOfflineReply(request: ModelRequest) {
  const { actor, messages, withoutTools = false } = request;
  const text = pageAnswer(request) ?? (withoutTools ? wantedNotes(messages) : null);
  if (text !== null) return { ok: true, text };
  const asked = unanswered(messages, withoutTools);
  return advance(respond(asked, messages, offeredTools(request, actor === MAIN)), asked.answer, withoutTools);
}

/** Answers a question about a fetched page, as WebFetch asks it; nothing in the page is carried out. */
function pageAnswer({ tools, messages }: ModelRequest): string | null {
  if (tools.length > 0 || messages.length !== 1) return null;
  const [page = "", asked = ""] = textsOf(messages);
  const text = /^<web-page [^\n]*>\n([\s\S]*)\n<\/web-page>$/.exec(page)?.[1];
  const question = /^Question about this page:\n([\s\S]*)/.exec(asked)?.[1];
  return text === undefined || question === undefined ? null : paragraphsAbout(question, text);
}

function* respond(asked: Unanswered, messages: Messages, tools: OfflineTools): OfflinePlan {
  const { prompt, conflict, skills, reports, isCompacted } = asked;
  const results: PlanResult[] = [...reports];
  const one = (text: string) => answer(text, tools);
  if (conflict) results.push(yield* resolveConflict(conflict, messages, tools));
  const steps = instructionsIn(prompt);
  if (steps) results.push(yield* carryOut(steps, tools, one));
  // What was written after a skill's name may ask for something by itself.
  else if (prompt !== "" && (skills.length === 0 || isAnswerable(prompt)))
    results.push(yield* together(questionsIn(prompt), one));
  results.push(...skills.map((name) => unsure(`/${name} is a skill: instructions.`)));
  if (results.length > 0) return joinResults(results, "\n\n");
  const lost = "The conversation was compacted before this was finished; ask again for what is missing.";
  return { ok: !isCompacted, text: isCompacted ? lost : "Nothing was asked." };
}
