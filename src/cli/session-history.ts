import { type AgentHistory, agentsOf, type SessionHistory, sessionOf } from "../journal/folds.ts";
import type { MessageParam } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";
import type { JournalRecord } from "../mailbox/session-events.ts";
import { textOf, userText } from "./user-text.ts";

/** One thing an agent was asked, and what came of it. */
export interface Exchange {
  /** Without what the runtime attached to it. */
  readonly prompt: string;
  /** Null while unfinished. */
  readonly summary: Summary | null;
  /** The last words of its turns so far. */
  readonly said: string;
}

/** What `troupe sessions show` shows of one agent. */
export interface AgentStory extends AgentHistory {
  /** In order; only the main conversation is asked more than once. */
  readonly exchanges: readonly Exchange[];
}

export interface SessionStory {
  /** Null where the journal lost its first record. */
  readonly session: SessionHistory | null;
  /** In the order of the spawns. */
  readonly agents: readonly AgentStory[];
}

export function sessionStory(records: readonly JournalRecord[]): SessionStory {
  const exchanges = exchangesOf(records);
  const agents = agentsOf(records).map((agent) => ({ ...agent, exchanges: exchanges.get(agent.id) ?? [] }));
  return { session: sessionOf(records), agents };
}

function exchangesOf(records: readonly JournalRecord[]): Map<ActorId, Exchange[]> {
  const all = new Map<ActorId, Exchange[]>();
  const ask = (actor: ActorId, message: MessageParam): void => {
    all.set(actor, [...(all.get(actor) ?? []), { prompt: userText(message), summary: null, said: "" }]);
  };
  const change = (actor: ActorId, by: Partial<Exchange>): void => {
    const known = all.get(actor) ?? [];
    const last = known.at(-1);
    if (last) all.set(actor, [...known.slice(0, -1), { ...last, ...by }]);
  };
  for (const { event } of records) {
    switch (event.type) {
      case "spawn": {
        // A later spawn of the same actor replaces what was before it, as in the journal's own folds.
        all.delete(event.spec.id);
        const [first] = event.spec.messages;
        if (first) ask(event.spec.id, first);
        break;
      }
      case "prompt":
        if (!event.news) ask(event.actor, event.message);
        break;
      case "turn": {
        const said = event.turn.messages.filter(({ role }) => role === "assistant").map(textOf);
        const words = said.join("\n").trim();
        if (words !== "") change(event.actor, { said: words });
        break;
      }
      case "summary":
        change(event.actor, { summary: event.summary });
        break;
      case "session":
      case "start":
      case "reopen":
      case "before":
      case "after":
      case "reply":
      case "compacted":
      case "command":
      case "command-end":
      case "task":
      case "end":
        break;
      default:
        event satisfies never;
    }
  }
  return all;
}
