import type { AgentView, MessageEvent, PromptEvent, SupervisorEvent } from "../events/event.ts";
import { actorOf } from "../features/events/actor-view.ts";
import { JournalEvents } from "../features/events/journal-events.ts";
import { callTitle } from "../features/events/recorded-agents.ts";
import type { JournalRecord, SessionEvent } from "../journal/session-events.ts";
import { type SessionHistory, sessionOf } from "../journal/sessions.ts";
import { resultText } from "../mailbox/compacted.ts";
import { addUsage, textOf, type Usage } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../mailbox/ids.ts";
import type { Status, Summary } from "../mailbox/messages.ts";
import { messageText, userText } from "./user-text.ts";

export interface PastCall {
  readonly id: CallId;
  readonly tool: string;
  /** What tells it from others. */
  readonly title: string;
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

/** What a runner had of an agent. */
export interface PastAttempt {
  readonly attempt: number;
  readonly runner: string;
  /** Why it left its runner before its end; null if it did not, or if its session was interrupted. */
  readonly left: string | null;
}

type Known = Pick<
  AgentView,
  "id" | "parent" | "depth" | "type" | "description" | "turns" | "usage" | "summary"
>;

/** What `troupe sessions show` shows of one agent. */
export interface AgentStory extends Known {
  /** Null while unfinished: still running, or its session ended first. Its summary and the next one are null then, too. */
  readonly status: Status | null;
  /** Milliseconds. */
  readonly durationMs: number | null;
  /** On runners; empty if it has worked only here. */
  readonly attempts: readonly PastAttempt[];
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
  const events = new JournalEvents();
  const stories = new Map<ActorId, Story>();
  for (const record of records) {
    const { event } = record;
    for (const one of events.of(record)) {
      // A later spawn of the same actor replaces what was before it, at its place.
      if (one.type === "agent" && event.type === "spawn") stories.set(one.view.id, new Story(one.view));
      const actor = actorOf(one);
      if (actor !== null) stories.get(actor)?.take(one);
    }
    if ("actor" in event) stories.get(event.actor)?.note(event);
  }
  return { session: sessionOf(records), agents: [...stories.values()].map((story) => story.agent) };
}

/** The story of one actor, as its records and their events come. */
class Story {
  #view: AgentView;
  /** Of its last summary, and its turns since: a view has only what turns used. */
  #usage: Usage;
  /** Null while unfinished. */
  #end: Extract<SessionEvent, { type: "summary" }> | null = null;
  readonly #attempts: PastAttempt[] = [];
  readonly #exchanges: PastExchange[] = [];
  /** Lines that no turn has read, by their IDs. */
  readonly #queued = new Map<string, string>();
  #summary: Summary | null = null;
  /** Calls of the turn under way, by the provider's IDs, and the ends of those that have ended. */
  readonly #uses = new Map<string, CallId>();
  readonly #ended = new Map<CallId, Pick<PastCall, "result" | "isError">>();

  constructor(view: AgentView) {
    this.#view = view;
    this.#usage = view.usage;
  }

  get agent(): AgentStory {
    const { id, parent, depth, type, description, turns } = this.#view;
    const { summary = null, durationMs = null } = this.#end ?? {};
    return {
      ...{ id, parent, depth, type, description, status: summary?.status ?? null, summary, durationMs },
      ...{ turns, usage: this.#usage, attempts: this.#attempts },
      exchanges: [...this.#exchanges, ...[...this.#queued.values()].map((text) => asked(text))],
    };
  }

  /** Takes from a record what its events leave out. */
  note(event: SessionEvent): void {
    switch (event.type) {
      case "boarded":
        this.#attempts.push({ attempt: event.attempt, runner: event.runner, left: null });
        return;
      case "turn":
        this.#usage = addUsage(this.#usage, event.turn.usage);
        return;
      case "summary":
        this.#end = event;
        this.#usage = event.summary.usage;
        return;
      case "start": {
        this.#end = null;
        const last = event.left === undefined ? undefined : this.#attempts.pop();
        if (last !== undefined) this.#attempts.push({ ...last, left: event.left ?? null });
        return;
      }
      case "reopen":
      case "prompt":
        this.#end = null;
        return;
      default:
        return;
    }
  }

  take(event: SupervisorEvent): void {
    switch (event.type) {
      case "prompt":
        this.#hear(event);
        return;
      case "queued":
        if (event.state === "waits") this.#queued.set(event.id, userText({ content: event.text }));
        else this.#queued.delete(event.id);
        return;
      case "message":
        if (event.role === "assistant") this.#addReply(event);
        else this.#addResults(event);
        return;
      case "call-end": {
        const { call, outcome, reason, head } = event;
        this.#addResult(call, { result: reason ?? head, isError: outcome !== "ok" });
        return;
      }
      case "agent":
        this.#view = event.view;
        this.#finish(event.view.summary);
        return;
      default:
        return;
    }
  }

  #hear(event: PromptEvent): void {
    const last = this.#exchanges.at(-1);
    const prompt = event.notice ? "" : userText(event);
    if (prompt !== "") {
      // A notice that came with it has no replies of its own.
      if (last?.notice && last.replies.length === 0) this.#exchanges.pop();
      this.#exchanges.push(asked(prompt));
    } else if (last?.summary) {
      if (event.notice) this.#exchanges.push(asked("", messageText(event)));
      // Resumed after it had failed.
      else this.#change(() => ({ summary: null }));
    }
  }

  #addReply({ turn, content }: MessageEvent): void {
    const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const uses = blocks.filter((block) => block.type === "tool_use");
    const calls = uses.map(({ id: use, name: tool, input }, index): PastCall => {
      const id = callId(this.#view.id, turn, index);
      this.#uses.set(use, id);
      return {
        id,
        tool,
        ...callTitle(tool, input),
        input,
        result: null,
        isError: false,
        ...this.#ended.get(id),
      };
    });
    const reply = { turn, text: textOf(blocks), calls };
    this.#change(({ replies }) => ({ replies: [...replies.filter((one) => one.turn !== turn), reply] }));
  }

  #addResults({ content }: MessageEvent): void {
    for (const block of typeof content === "string" ? [] : content) {
      const call = block.type === "tool_result" ? this.#uses.get(block.tool_use_id) : undefined;
      if (block.type !== "tool_result" || call === undefined) continue;
      this.#addResult(call, {
        result: resultText(block.content).trim(),
        isError: block.is_error === true,
      });
    }
    this.#uses.clear();
    this.#ended.clear();
  }

  #addResult(id: CallId, result: Pick<PastCall, "result" | "isError">): void {
    this.#ended.set(id, result);
    this.#change(({ replies }) => ({
      replies: replies.map((reply) =>
        reply.calls.some((call) => call.id === id)
          ? { ...reply, calls: reply.calls.map((call) => (call.id === id ? { ...call, ...result } : call)) }
          : reply,
      ),
    }));
  }

  #finish(summary: Summary | null): void {
    if (summary === this.#summary) return;
    this.#summary = summary;
    if (summary === null) return;
    // A run that failed before its first turn has received nothing.
    if (this.#exchanges.at(-1)?.summary) {
      this.#exchanges.push(...[...this.#queued.values()].map((text) => asked(text)));
      this.#queued.clear();
    }
    this.#change(() => ({ summary }));
  }

  #change(by: (last: PastExchange) => Partial<PastExchange>): void {
    const last = this.#exchanges.pop() ?? asked("");
    this.#exchanges.push({ ...last, ...by(last) });
  }
}

function asked(prompt: string, notice: string | null = null): PastExchange {
  return { prompt, notice, replies: [], summary: null };
}
