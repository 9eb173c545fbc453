import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import type { CallContext, Tool } from "../tool.ts";
import type { MailEntry, MessageService } from "./service.ts";

const ListAgentsInput = z.strictObject({});
type ListAgentsInput = z.infer<typeof ListAgentsInput>;

/** More lines than these say less. */
const MAX_LINES = 300;

/** The agents of the session, by the handles that others reach them by. */
export function listAgentsTool(
  desk: MessageService,
): Tool<ListAgentsInput, readonly MailEntry[], CallContext> {
  return {
    name: "ListAgents",
    aliases: [],
    permissionLevel: "read",
    parallel: true,
    inputSchema: ListAgentsInput,
    description: {
      what: "Lists the agents of this session: id, type, task, state and what each does right now.",
      when: ["To see which agents still run.", naming`To find the id of one for ${"SendMessage"}.`],
      whenNot:
        "To wait for an agent: you are notified when it has finished. What an agent has found is told by its report only.",
      how: "It takes no input.",
      recover: "It cannot fail.",
      limits: `At most ${MAX_LINES} agents, those that run first.`,
    },
    title: () => "agents",
    accesses: () => [],
    call: async (_input, { actor }) => desk.agents(actor),
    mapToolResultToToolResultBlockParam: (agents) => {
      const sorted = agents.toSorted((a, b) => Number(a.ended !== null) - Number(b.ended !== null));
      const more = sorted.length - MAX_LINES;
      return [
        ...sorted.slice(0, MAX_LINES).map(lineOf),
        ...(more > 0 ? [`(${more} more that have ended)`] : []),
      ].join("\n");
    },
  };
}

function lineOf({ id, type, description, parent, state, turns, isYou, now, ended }: MailEntry): string {
  const how = ended === null ? `${state}, ${now}` : `ended: ${ended}`;
  const task = description === "" ? "" : ` "${description}"`;
  const under = parent === null ? "" : ` under ${parent}`;
  return `${id}${isYou ? " (you)" : ""}: ${type}${task}${under}, ${how}, ${turns} turn${turns === 1 ? "" : "s"}`;
}
