import type { ActorId } from "../mailbox/ids.ts";
import type { Summary } from "../mailbox/messages.ts";

/** How one agent ended. The one summary of the spawn, with what the runtime knows about it. */
export interface AgentResult {
  readonly id: ActorId;
  readonly type: string;
  readonly description: string;
  readonly summary: Summary;
  readonly durationMs: number;
}
