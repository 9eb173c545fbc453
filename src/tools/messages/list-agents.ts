import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import type { CallContext, Tool } from "../tool.ts";
import type { MailEntry, MessageService } from "./service.ts";

const ListAgentsInput = z.strictObject({});
type ListAgentsInput = z.infer<typeof ListAgentsInput>;

const MAX_LINES = 300;

/** Lists the agents of the session with their IDs. */
export function listAgentsTool(
  service: MessageService,
): Tool<ListAgentsInput, readonly MailEntry[], CallContext> {
  return {
    name: "ListAgents",
    permissionLevel: "read",
    inputSchema: ListAgentsInput,
    description: {
      what: "Lists the agents of this session: id, type, task, state and what each does right now.",
      when: ["To see which agents still run.", naming`To find the id of one for ${"SendMessage"}.`],
      whenNot:
        "To wait for an agent: you are notified when it has finished. Only its report says what an agent has found.",
      how: "It takes no input.",
      recover: "It cannot fail.",
      limits: `At most ${MAX_LINES} agents, those that run first.`,
    },
    title: () => "agents",
    call: async (_input, { actor }) => service.agents(actor),
    mapToolResultToToolResultBlockParam: (agents) => {
      const sorted = agents.toSorted((a, b) => Number(a.ended !== null) - Number(b.ended !== null));
      const more = sorted.length - MAX_LINES;
      return [
        ...sorted.slice(0, MAX_LINES).map(lineOf),
        ...(more > 0 ? [`(${more} more that have ended)`] : []),
        ...service.actors().map((name) => `${name}: an actor of the program, which takes text as well`),
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
