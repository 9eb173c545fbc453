import { type AgentHistory, agentsOf, type SessionHistory, sessionOf } from "../journal/folds.ts";
import { type ContentBlockParam, type ToolResultContent, textOf } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../mailbox/ids.ts";
import type { ActorSpec, Reply, Steer, Summary, Turn } from "../mailbox/messages.ts";
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
  for (const { event } of records) {
    // A later spawn of the same actor replaces what was before it, as in the journal's own folds.
    if (event.type === "spawn") stories.set(event.spec.id, new Story(event.spec));
    const story = "actor" in event ? stories.get(event.actor) : undefined;
    if (event.type === "prompt" && !event.notice && !event.system)
      story?.unheard.push({ id: event.id ?? null, text: userText(event.message) });
    else if (event.type === "reply") story?.addReply(event.reply);
    else if (event.type === "after" && event.result)
      story?.addResult(event.call, { result: resultText(event.result.content), isError: event.isError });
    else if (event.type === "turn") story?.addTurn(event.turn);
    else if (event.type === "summary") story?.end(event.summary);
  }
  return {
    session: sessionOf(records),
    agents: agentsOf(records).map((agent) => ({ ...agent, exchanges: stories.get(agent.id)?.all ?? [] })),
  };
}

/** The exchanges of one actor, as its records come. */
class Story {
  /** Prompts that no turn has received. */
  readonly unheard: { readonly id: string | null; readonly text: string }[] = [];
  readonly #actor: ActorId;
  readonly #exchanges: PastExchange[];

  constructor({ id, messages: [first], turns }: ActorSpec) {
    this.#actor = id;
    this.#exchanges = [asked(first ? userText(first) : "")];
    for (const turn of turns) this.addTurn(turn);
  }

  get all(): readonly PastExchange[] {
    return [...this.#exchanges, ...this.unheard.map(({ text }) => asked(text))];
  }

  /** It is recorded before its calls run, and again with their turn. */
  addReply({ turn, heard, content }: Reply): void {
    this.#hear(heard);
    this.#setReplies(turn, [replyIn(this.#actor, turn, content)]);
  }

  addTurn({ turn, heard, messages }: Turn): void {
    this.#hear(heard);
    const results = messages.filter(({ role }) => role === "user").flatMap(blocksOf);
    const replies: PastReply[] = [];
    for (const message of messages.filter(({ role }) => role === "assistant"))
      replies.push(replyIn(this.#actor, turn, blocksOf(message), results, replies));
    this.#setReplies(turn, replies);
  }

  addResult(id: CallId, result: Pick<PastCall, "result" | "isError">): void {
    this.#change(({ replies }) => ({
      replies: replies.map((reply) => ({
        ...reply,
        calls: reply.calls.map((call) => (call.id === id ? { ...call, ...result } : call)),
      })),
    }));
  }

  end(summary: Summary): void {
    // A run that failed before its first turn has received nothing.
    if (this.#exchanges.at(-1)?.summary) this.#exchanges.push(...this.#take(() => true));
    this.#change(() => ({ summary }));
  }

  /** A prompt belongs where a turn received it, which may be later than it was recorded. */
  #hear(heard: readonly Steer[]): void {
    const ids = new Set<string | null>(heard.flatMap(({ of = [] }) => of));
    const prompts = this.#take((id) => ids.has(id));
    const notices = heard.filter(({ notice, system }) => notice && !system).map(({ text }) => text);
    if (prompts.length > 0) this.#exchanges.push(...prompts);
    else if (!this.#exchanges.at(-1)?.summary) return;
    else if (notices.length > 0) this.#exchanges.push(asked("", notices.join("\n")));
    // Resumed after it had failed.
    else this.#change(() => ({ summary: null }));
  }

  #take(which: (id: string | null) => boolean): PastExchange[] {
    const taken = this.unheard.filter(({ id }) => which(id));
    this.unheard.splice(0, Infinity, ...this.unheard.filter(({ id }) => !which(id)));
    return taken.map(({ text }) => asked(text));
  }

  #setReplies(turn: number, replies: readonly PastReply[]): void {
    this.#change((last) => ({ replies: [...last.replies.filter((one) => one.turn !== turn), ...replies] }));
  }

  #change(by: (last: PastExchange) => Partial<PastExchange>): void {
    const last = this.#exchanges.pop() ?? asked("");
    this.#exchanges.push({ ...last, ...by(last) });
  }
}

function asked(prompt: string, notice: string | null = null): PastExchange {
  return { prompt, notice, replies: [], summary: null };
}

/** `before`: the earlier replies of this turn. */
function replyIn(
  actor: ActorId,
  turn: number,
  content: readonly ContentBlockParam[],
  results: readonly ContentBlockParam[] = [],
  before: readonly PastReply[] = [],
): PastReply {
  const first = before.reduce((sum, { calls }) => sum + calls.length, 0);
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  return {
    turn,
    text: textOf(content),
    calls: calls.map(({ id, name, input }, index): PastCall => {
      const found = results.find((block) => block.type === "tool_result" && block.tool_use_id === id);
      const { content: said = "", is_error: isError = false } = found?.type === "tool_result" ? found : {};
      return {
        ...{ id: callId(actor, turn, first + index), tool: name, input, isError },
        result: found === undefined ? null : resultText(said),
      };
    }),
  };
}

function resultText(content: ToolResultContent): string {
  if (typeof content === "string") return content.trim();
  return content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n")
    .trim();
}
