import { type AgentHistory, agentsOf, type SessionHistory, sessionOf } from "../journal/folds.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { JournalRecord } from "../mailbox/session-events.ts";
import { messageText, userText } from "./user-text.ts";

/** One prompt of an agent, and how it was answered. */
export interface PastExchange {
  /** Without what the runtime attached to it. */
  readonly prompt: string;
  /** Null while unfinished. */
  readonly summary: Summary | null;
  /** The text of its last turn so far. */
  readonly said: string;
}

/** What `troupe sessions show` shows of one agent. */
export interface AgentStory extends AgentHistory {
  /** In order; only the main conversation has more than one. */
  readonly exchanges: readonly PastExchange[];
}

export interface SessionStory {
  /** Null if the journal lost its first record. */
  readonly session: SessionHistory | null;
  /** In the order of the spawns. */
  readonly agents: readonly AgentStory[];
}

export function sessionStory(records: readonly JournalRecord[]): SessionStory {
  const exchanges = exchangesOf(records);
  const agents = agentsOf(records).map((agent) => ({ ...agent, exchanges: exchanges.get(agent.id) ?? [] }));
  return { session: sessionOf(records), agents };
}

function exchangesOf(records: readonly JournalRecord[]): Map<ActorId, PastExchange[]> {
  const all = new Map<ActorId, PastExchange[]>();
  const add = (actor: ActorId, prompt: string): void => {
    all.set(actor, [...(all.get(actor) ?? []), { prompt, summary: null, said: "" }]);
  };
  const change = (actor: ActorId, by: Partial<PastExchange>): void => {
    const known = all.get(actor) ?? [];
    const last = known.at(-1);
    if (last) all.set(actor, [...known.slice(0, -1), { ...last, ...by }]);
  };
  for (const { event } of records) {
    if (event.type === "spawn") {
      // A later spawn of the same actor replaces what was before it, as in the journal's own folds.
      all.delete(event.spec.id);
      const [first] = event.spec.messages;
      if (first) add(event.spec.id, userText(first));
    } else if (event.type === "prompt" && !event.notice) {
      add(event.actor, userText(event.message));
    } else if (event.type === "turn") {
      const replies = event.turn.messages.filter(({ role }) => role === "assistant");
      const said = replies.map(messageText).join("\n").trim();
      if (said !== "") change(event.actor, { said });
    } else if (event.type === "summary") change(event.actor, { summary: event.summary });
  }
  return all;
}
