import * as z from "zod/mini";
import { ActorId } from "../mailbox/ids.ts";
import { Summary } from "../mailbox/messages.ts";

/** How one agent ended. The one summary of the spawn, with what the runtime knows about it. */
export const AgentResult = z.object({
  id: ActorId,
  type: z.string(),
  description: z.string(),
  summary: Summary,
  durationMs: z.number(),
});
export type AgentResult = Readonly<z.infer<typeof AgentResult>>;
