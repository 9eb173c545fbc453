import { overflowOf } from "../context/compaction/bounds.ts";
import { boundsIn, type Compacting, compactAfterRefusal, prefixOf } from "../context/compaction/compact.ts";
import { given } from "../lib/json.ts";
import { formatNumber } from "../lib/text.ts";
import { addUsage, type ContentBlock, type MessageParam, noUsage, textOf } from "../mailbox/conversation.ts";
import type { ModelOutcome, ModelReply, ModelRequest } from "../model/client.ts";
import type { AgentConversation } from "./agent-state.ts";
import type { Last } from "./ending.ts";

/**
 * Requests the next reply. If the server rejects the conversation as too large, compacts it and retries once: never
 * with the same request (fault 8).
 */
export async function nextReply(
  state: AgentConversation,
  last: Last | null,
  context: Compacting,
): Promise<ModelOutcome> {
  const ask = async () => {
    const request = requestOf(state, last);
    const of = (messages: ModelRequest["messages"]) =>
      context.model.ask({ ...request, messages }, context.onModelEvent, context.signal);
    return continued(await of(request.messages), request.messages, of);
  };
  const outcome = await ask();
  const overflow = context.signal.aborted ? null : overflowOf(outcome);
  if (overflow === null) return outcome;
  const wasted = outcome.type === "reply" ? outcome.reply.usage : noUsage;
  const found = { ...overflow, wasted, summaries: last === null };
  return (await compactAfterRefusal(found, state, context)) ? ask() : outcome;
}

function requestOf(state: AgentConversation, last: Last | null): ModelRequest {
  const { spec } = state;
  const { reply } = boundsIn(state);
  return {
    actor: spec.id,
    model: spec.model,
    ...prefixOf(state),
    messages: state.messages,
    maxTokens: Math.min(reply, last?.maxTokens ?? reply),
    ...given({ thinkingTokens: spec.thinkingTokens, effort: spec.effort }),
    withoutTools: last !== null,
    streamText: spec.parent === null,
  };
}

/** Further requests that a cut text may take in one turn. */
const MOST_CONTINUED = 3;
/** Pauses of one turn: each is a request that the server could not finish in its own time. */
const MOST_PAUSED = 10;

type Ask = (messages: readonly MessageParam[]) => Promise<ModelOutcome>;

/**
 * Requests the rest of a reply whose text was cut by `max_tokens`, or that the server has paused, up to a limit. The
 * parts are one reply. If a rest fails, the reply is what was said before.
 */
async function continued(
  first: ModelOutcome,
  messages: readonly MessageParam[],
  ask: Ask,
): Promise<ModelOutcome> {
  if (first.type === "failure") return first;
  let { reply } = first;
  let left = { cut: MOST_CONTINUED, paused: MOST_PAUSED };
  for (;;) {
    const more = restOf(reply);
    if (more === null || left[more.type] === 0) return { type: "reply", reply };
    left = { ...left, [more.type]: left[more.type] - 1 };
    const next = await ask([...messages, ...more.messages]);
    if (next.type === "failure") return { type: "reply", reply };
    reply = joinedReply(reply, next.reply, more.type === "cut");
  }
}

interface Rest {
  readonly type: "cut" | "paused";
  readonly messages: readonly MessageParam[];
}

function restOf({ content, stopReason, usage }: ModelReply): Rest | null {
  const said: MessageParam = { role: "assistant", content: [...content] };
  if (stopReason === "pause_turn") return content.length === 0 ? null : { type: "paused", messages: [said] };
  const hasCalls = content.some(({ type }) => type === "tool_use");
  if (stopReason !== "max_tokens" || hasCalls || textOf(content) === "") return null;
  const text = `Your reply was cut at its limit (${formatNumber(usage.output_tokens)} tokens). Continue exactly where it ends, in the middle of a word if it ends there. Repeat nothing and say nothing about it.`;
  return { type: "cut", messages: [said, { role: "user", content: [{ type: "text", text }] }] };
}

function joinedReply(before: ModelReply, next: ModelReply, isCut: boolean): ModelReply {
  const content = isCut ? joinedText(before.content, next.content) : [...before.content, ...next.content];
  return {
    ...next,
    content,
    usage: addUsage(before.usage, next.usage),
    lastUsage: next.usage,
    apiMs: before.apiMs + next.apiMs,
  };
}

/** Joins the text at the cut; drops thinking about the rest, which fits nowhere in it. */
function joinedText(before: readonly ContentBlock[], next: readonly ContentBlock[]): ContentBlock[] {
  const rest = next.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const [last, first] = [before.at(-1), rest[0]];
  if (last?.type !== "text" || first?.type !== "text") return [...before, ...rest];
  return [...before.slice(0, -1), { ...last, text: last.text + first.text }, ...rest.slice(1)];
}
