import * as z from "zod/mini";
import type { CallBeginEvent } from "../../events/call.ts";
import { agentTitle } from "../../tools/agent.ts";
import { agentTools } from "../../tools/index.ts";
import { noSession, sessionTools } from "../../tools/session-tools.ts";

const StartedAgent = z.object({ subagent_type: z.optional(z.string()), description: z.string() });

/** Only their titles are used. */
const BUILT_IN = [...agentTools, ...sessionTools(noSession)];

type Titles = Pick<CallBeginEvent, "title" | "description">;

/** Returns what tells a call from others: the tool's own title for it, else the first text in the input, else its name. */
export function callTitle(tool: string, input: unknown): Titles {
  const known = BUILT_IN.find(({ name, aliases }) => name === tool || aliases.includes(tool));
  const ready = known?.prepare(input);
  if (ready?.type === "ready") {
    const { title, description } = ready;
    return { title, ...(description === undefined ? {} : { description }) };
  }
  const { data: agent } = tool === "Agent" ? StartedAgent.safeParse(input) : {};
  if (agent) return { title: agentTitle(agent) };
  const values = typeof input === "object" && input !== null ? Object.values(input) : [];
  const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
  return { title: values.find(isText) ?? tool };
}
