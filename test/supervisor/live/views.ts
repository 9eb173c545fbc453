import { noUsage } from "../../../src/mailbox/conversation.ts";
import { ActorId, SessionId } from "../../../src/mailbox/ids.ts";
import type { AgentView } from "../../../src/supervisor/view.ts";

export const SESSION = SessionId.parse("livesession00001");

export function actor(number: number): ActorId {
  return ActorId.parse(`agent${number}`);
}

/** An agent at work; a test says what is special about it. */
export function view(number: number, change: Partial<AgentView> = {}): AgentView {
  return {
    id: actor(number),
    parent: null,
    depth: 1,
    type: "Explore",
    description: `task ${number}`,
    state: "running",
    activity: { type: "model" },
    doing: null,
    model: "offline",
    turns: 1,
    usage: noUsage,
    costUsd: 0,
    background: false,
    hasThread: true,
    lastSignAt: 0,
    trouble: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: null,
    summary: null,
    ...change,
  };
}
