import { SessionId } from "../../../src/mailbox/ids.ts";
import type { AgentView } from "../../../src/supervisor/view.ts";
import { actor, agentView } from "../../support/agent-view.ts";

export const SESSION = SessionId.parse("livesession00001");

/** An agent at work; a test says what is special about it. */
export function view(number: number, change: Partial<AgentView> = {}): AgentView {
  return agentView({
    ...{ id: actor(number), description: `task ${number}`, activity: { type: "model" }, turns: 1 },
    ...change,
  });
}
