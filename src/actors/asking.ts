import { overflowOf } from "../context/compaction/overflow.ts";
import { noUsage } from "../mailbox/conversation.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import type { ModelOutcome, ModelRequest } from "../model/client.ts";
import type { AgentState } from "./agent-state.ts";
import { boundsIn, type Compacting, shrunk } from "./compaction.ts";

/**
 * Asks the model for the next reply. Where its server finds the conversation too large, it is made smaller and asked
 * for once more: never with the same request again (fault 8).
 */
export async function nextReply(
  spec: ActorSpec,
  state: AgentState,
  isLast: boolean,
  around: Compacting,
): Promise<ModelOutcome> {
  const ask = () => around.model.ask(requestOf(spec, state, isLast), around.onModelEvent, around.signal);
  const outcome = await ask();
  const overflow = around.signal.aborted ? null : overflowOf(outcome);
  if (overflow === null) return outcome;
  const wasted = outcome.type === "reply" ? outcome.reply.usage : noUsage;
  return (await shrunk({ ...overflow, wasted }, spec, state, around)) ? ask() : outcome;
}

function requestOf(spec: ActorSpec, state: AgentState, isLast: boolean): ModelRequest {
  return {
    actor: spec.id,
    model: spec.model,
    system: spec.system,
    tools: spec.tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })),
    messages: state.messages,
    maxTokens: boundsIn(spec, state).reply,
    ...(spec.thinkingTokens === undefined ? {} : { thinkingTokens: spec.thinkingTokens }),
    withoutTools: isLast,
    streamText: spec.parent === null,
  };
}
