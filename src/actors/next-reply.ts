import { overflowOf } from "../context/compaction/overflow.ts";
import { noUsage } from "../mailbox/conversation.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import { toolsInRequests } from "../mailbox/turns.ts";
import type { ModelOutcome, ModelRequest } from "../model/client.ts";
import type { AgentConversation } from "./agent-state.ts";
import { boundsIn, type Compacting, compactAfterRefusal } from "./compaction.ts";
import { continued } from "./continuing.ts";
import type { Last } from "./ending.ts";

/**
 * Requests the next reply. If the server rejects the conversation as too large, compacts it and retries once: never
 * with the same request (fault 8).
 */
export async function nextReply(
  spec: ActorSpec,
  state: AgentConversation,
  last: Last | null,
  around: Compacting,
): Promise<ModelOutcome> {
  const ask = async () => {
    const request = requestOf(spec, state, last);
    const of = (messages: ModelRequest["messages"]) =>
      around.model.ask({ ...request, messages }, around.onModelEvent, around.signal);
    return continued(await of(request.messages), request.messages, of);
  };
  const outcome = await ask();
  const overflow = around.signal.aborted ? null : overflowOf(outcome);
  if (overflow === null) return outcome;
  const wasted = outcome.type === "reply" ? outcome.reply.usage : noUsage;
  const found = { ...overflow, wasted, summaries: last === null };
  return (await compactAfterRefusal(found, spec, state, around)) ? ask() : outcome;
}

function requestOf(spec: ActorSpec, state: AgentConversation, last: Last | null): ModelRequest {
  const { reply } = boundsIn(spec, state);
  return {
    actor: spec.id,
    model: spec.model,
    system: [...spec.system, ...state.system],
    tools: toolsInRequests(spec.tools),
    messages: state.messages,
    maxTokens: Math.min(reply, last?.maxTokens ?? reply),
    ...(spec.thinkingTokens === undefined ? {} : { thinkingTokens: spec.thinkingTokens }),
    ...(spec.effort === undefined ? {} : { effort: spec.effort }),
    withoutTools: last !== null,
    streamText: spec.parent === null,
  };
}
