import { type AgentHistory, agentsOf, type SessionHistory, sessionOf } from "../journal/folds.ts";
import type { MessageParam } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { JournalRecord } from "../mailbox/session-events.ts";

/** What `troupe sessions show` shows of one agent. */
export interface AgentStory extends AgentHistory {
  /** What it was asked, in order. */
  readonly prompts: readonly string[];
}

export interface SessionStory {
  /** Null where the journal lost its first record. */
  readonly session: SessionHistory | null;
  /** In the order of the spawns. */
  readonly agents: readonly AgentStory[];
}

export function sessionStory(records: readonly JournalRecord[]): SessionStory {
  const prompts = new Map<ActorId, string[]>();
  for (const { event } of records) {
    // A later spawn of the same actor replaces what was before it, as in the journal's own folds.
    if (event.type === "spawn") prompts.set(event.spec.id, event.spec.messages.slice(0, 1).map(textOf));
    if (event.type === "prompt")
      prompts.set(event.actor, [...(prompts.get(event.actor) ?? []), textOf(event.message)]);
  }
  const agents = agentsOf(records).map((agent) => ({ ...agent, prompts: prompts.get(agent.id) ?? [] }));
  return { session: sessionOf(records), agents };
}

function textOf({ content }: MessageParam): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
