import type { AgentView } from "../../src/events/event.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId } from "../../src/mailbox/ids.ts";

export function actor(number: number): ActorId {
  return ActorId.parse(`agent${number}`);
}

/** An agent that runs and does nothing; a test says what is special about it. */
export function agentView(change: Partial<AgentView> & { id: ActorId }): AgentView {
  return {
    parent: null,
    depth: 1,
    type: "Explore",
    description: "a task",
    call: null,
    state: "running",
    activity: { type: "idle" },
    doing: null,
    model: "offline",
    turns: 0,
    usage: noUsage,
    costUsd: 0,
    background: false,
    hasLoop: true,
    lastSignAt: 0,
    trouble: null,
    overlap: null,
    createdAt: 0,
    startedAt: 0,
    endedAt: null,
    summary: null,
    ...change,
  };
}
