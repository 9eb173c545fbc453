import { type AgentHistory, agentsOf, type SessionHistory, sessionOf } from "../journal/folds.ts";
import {
  type ContentBlock,
  type ContentBlockParam,
  type ToolResultContent,
  textOf,
} from "../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../mailbox/ids.ts";
import type { Steer, Summary, Turn } from "../mailbox/messages.ts";
import type { JournalRecord } from "../mailbox/session-events.ts";
import { blocksOf } from "../mailbox/turns.ts";
import { userText } from "./user-text.ts";

export interface PastCall {
  readonly id: CallId;
  readonly tool: string;
  readonly input: unknown;
  /** Its text; null if the call has no result yet. */
  readonly result: string | null;
  readonly isError: boolean;
}

/** What the model returned once. */
export interface PastReply {
  readonly turn: number;
  readonly text: string;
  readonly calls: readonly PastCall[];
}

/** One prompt of an agent, and all that followed until the next one. */
export interface PastExchange {
  /** Without what the runtime attached to it. Empty if it continued by itself, because of `notice`. */
  readonly prompt: string;
  readonly notice: string | null;
  readonly replies: readonly PastReply[];
  /** Null while unfinished, and if another prompt came before the end. */
  readonly summary: Summary | null;
}

/** What `troupe sessions show` shows of one agent. */
export interface AgentStory extends AgentHistory {
  /** In order. */
  readonly exchanges: readonly PastExchange[];
}

export interface SessionStory {
  /** Null if the journal lost its first record. */
  readonly session: SessionHistory | null;
  /** In the order of the spawns. */
  readonly agents: readonly AgentStory[];
}

export function sessionStory(records: readonly JournalRecord[]): SessionStory {
  const stories = new Map<ActorId, Story>();
  const told = (actor: ActorId) => stories.get(actor) ?? noStory;
  for (const { event } of records) {
    if (event.type === "spawn") {
      // A later spawn of the same actor replaces what was before it, as in the journal's own folds.
      const { id, messages, turns } = event.spec;
      const [first] = messages;
      const exchanges = first ? [asked(userText(first))] : [];
      const before: Story = { exchanges, unheard: [] };
      stories.set(
        id,
        turns.reduce<Story>((story, turn) => afterTurn(story, id, turn), before),
      );
    } else if (event.type === "prompt" && !event.notice && !event.system) {
      const { actor, id = null, message } = event;
      const { unheard, ...story } = told(actor);
      stories.set(actor, { ...story, unheard: [...unheard, { id, text: userText(message) }] });
    } else if (event.type === "reply") {
      const { turn, heard, content } = event.reply;
      const replies = [replyIn(event.actor, turn, content)];
      stories.set(event.actor, withReplies(afterHeard(told(event.actor), heard), turn, replies));
    } else if (event.type === "after" && event.result) {
      const { actor, call, isError, result } = event;
      stories.set(actor, withResult(told(actor), call, { isError, result: resultText(result.content) }));
    } else if (event.type === "turn") {
      stories.set(event.actor, afterTurn(told(event.actor), event.actor, event.turn));
    } else if (event.type === "summary") {
      stories.set(event.actor, afterSummary(told(event.actor), event.summary));
    }
  }
  const agents = agentsOf(records).map((agent) => {
    const { exchanges, unheard } = told(agent.id);
    return { ...agent, exchanges: [...exchanges, ...unheard.map(({ text }) => asked(text))] };
  });
  return { session: sessionOf(records), agents };
}

interface Story {
  readonly exchanges: readonly PastExchange[];
  /** Prompts that no turn has received. */
  readonly unheard: readonly { readonly id: string | null; readonly text: string }[];
}

const noStory: Story = { exchanges: [], unheard: [] };

function asked(prompt: string, notice: string | null = null): PastExchange {
  return { prompt, notice, replies: [], summary: null };
}

/** A prompt belongs where a turn received it, which may be later than it was recorded. */
function afterHeard({ exchanges, unheard }: Story, heard: readonly Steer[]): Story {
  const ids = new Set<string | null>(heard.flatMap(({ of = [] }) => of));
  const prompts = unheard.filter(({ id }) => ids.has(id)).map(({ text }) => asked(text));
  const rest = unheard.filter(({ id }) => !ids.has(id));
  if (prompts.length > 0) return { exchanges: [...exchanges, ...prompts], unheard: rest };
  const last = exchanges.at(-1);
  if (!last?.summary) return { exchanges, unheard };
  const notices = heard.filter(({ notice, system }) => notice && !system).map(({ text }) => text);
  return notices.length > 0
    ? { exchanges: [...exchanges, asked("", notices.join("\n"))], unheard }
    : // Resumed after it had failed.
      { exchanges: [...exchanges.slice(0, -1), { ...last, summary: null }], unheard };
}

function afterTurn(before: Story, actor: ActorId, { turn, heard, messages }: Turn): Story {
  const results = messages.filter(({ role }) => role === "user").flatMap(blocksOf);
  let calls = 0;
  const replies = messages
    .filter(({ role }) => role === "assistant")
    .map((message) => {
      const reply = replyIn(actor, turn, blocksOf(message), calls, results);
      calls += reply.calls.length;
      return reply;
    });
  return withReplies(afterHeard(before, heard), turn, replies);
}

/** The reply of a turn is recorded before its calls run, and again with the turn. */
function withReplies({ exchanges, unheard }: Story, turn: number, replies: readonly PastReply[]): Story {
  const last = exchanges.at(-1) ?? asked("");
  const earlier = last.replies.filter((reply) => reply.turn !== turn);
  return { exchanges: [...exchanges.slice(0, -1), { ...last, replies: [...earlier, ...replies] }], unheard };
}

function replyIn(
  actor: ActorId,
  turn: number,
  content: readonly (ContentBlock | ContentBlockParam)[],
  callsBefore = 0,
  results: readonly ContentBlockParam[] = [],
): PastReply {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  return {
    turn,
    text: textOf(content),
    calls: calls.map(({ id, name, input }, index): PastCall => {
      const result = results.find((block) => block.type === "tool_result" && block.tool_use_id === id);
      return {
        ...{ id: callId(actor, turn, callsBefore + index), tool: name, input },
        ...(result?.type === "tool_result"
          ? { result: resultText(result.content ?? ""), isError: result.is_error ?? false }
          : { result: null, isError: false }),
      };
    }),
  };
}

function withResult(
  { exchanges, unheard }: Story,
  id: CallId,
  result: Pick<PastCall, "result" | "isError">,
): Story {
  const last = exchanges.at(-1);
  if (last === undefined) return { exchanges, unheard };
  const replies = last.replies.map((reply) => ({
    ...reply,
    calls: reply.calls.map((call) => (call.id === id ? { ...call, ...result } : call)),
  }));
  return { exchanges: [...exchanges.slice(0, -1), { ...last, replies }], unheard };
}

/** A run that failed before its first turn has received nothing. */
function afterSummary({ exchanges, unheard }: Story, summary: Summary): Story {
  const isNext = exchanges.at(-1)?.summary != null && unheard.length > 0;
  const all = isNext ? [...exchanges, ...unheard.map(({ text }) => asked(text))] : exchanges;
  const last = all.at(-1) ?? asked("");
  return { exchanges: [...all.slice(0, -1), { ...last, summary }], unheard: isNext ? [] : unheard };
}

function resultText(content: ToolResultContent): string {
  if (typeof content === "string") return content.trim();
  return content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
}
