import * as z from "zod/mini";
import type { ActorId } from "../mailbox/ids.ts";
import { type CallContext, failed, naming, type Tool } from "./tool.ts";

const SendMessageInput = z.strictObject({
  to: z.string().check(z.minLength(1), z.describe("The id of an agent, `main`, or `parent` (required)")),
  message: z.string().check(z.minLength(1), z.describe("What to say, complete in itself (required)")),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

/** Sends a message to another actor of the session. */
export function sendMessageTool(service: MessageService): Tool<SendMessageInput, Sent, CallContext> {
  return {
    name: "SendMessage",
    permissionLevel: "read",
    repeatable: false,
    inputSchema: SendMessageInput,
    description: {
      what: "Sends a message to another agent of this session. A running agent gets it at its next turn; one that has ended resumes with it and its whole context, and you are notified of its new report.",
      when: "Something changes another agent's task; a report leaves a question that its agent can answer from what it has read; agents work on parts that touch each other.",
      whenNot: [
        "To ask how far an agent is: you are notified when it has finished.",
        naming`A task of its own is for a new ${"Agent"}.`,
      ],
      how: [
        "`to` is an id, as the launch of the agent gave it; `main` is the main conversation, `parent` the agent that started you.",
        naming`${"ListAgents"} has all ids.`,
        "The message must stand alone: say what it is about.",
      ],
      recover:
        "For an unknown address you get those that exist. If the agent ends before it gets the message, you are notified.",
      limits: "A message has no reply; only what the agent then does or reports shows its effect.",
    },
    title: ({ to, message }) => `${to}: ${message.slice(0, 80)}`,
    async call({ to, message }, { actor }) {
      const sent = await service.send(actor, to, message);
      switch (sent.type) {
        case "queued":
        case "resumed":
        case "to-user-actor":
          return sent;
        case "self":
          return failed("That is you. Send to another agent.");
        case "unknown": {
          const ids = service.agents(actor).filter(({ isYou }) => !isYou);
          const known = ids.map(({ id, description, type }) => `${id} (${description || type})`);
          const actors = service.actors();
          return failed(
            `There is no agent ${JSON.stringify(to)}; nothing was sent. ${actors.length === 0 ? "" : `Actors of the program: ${actors.join(", ")}. `}${known.length === 0 ? "You are the only one." : `There are: ${known.join(", ")}.`}`,
          );
        }
        default:
          return sent satisfies never;
      }
    },
    mapToolResultToToolResultBlockParam: (sent) => {
      if (sent.type === "to-user-actor") return `The actor ${sent.name} has your message.`;
      return sent.type === "resumed"
        ? `Agent ${sent.id} had ended; it resumes with your message. You will be notified of its report.`
        : "Delivered; the agent gets it at its next turn.";
    },
  };
}

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

/** One actor of the session as others may see it: no part of its work before its end (A22.16). */
export interface MailEntry {
  readonly id: ActorId;
  readonly type: string;
  readonly description: string;
  readonly parent: ActorId | null;
  readonly state: string;
  readonly turns: number;
  readonly isYou: boolean;
  /** What it does right now, as text. */
  readonly now: string;
  /** How it ended; null before. */
  readonly ended: string | null;
}

export type Sent =
  /** Durable; delivered at its next turn. */
  | { readonly type: "queued"; readonly id: ActorId }
  /** It had ended and resumes with this; a notice brings its result. */
  | { readonly type: "resumed"; readonly id: ActorId }
  /** An actor of the program has it, as its message `text`. */
  | { readonly type: "to-user-actor"; readonly name: string }
  | { readonly type: "unknown" }
  | { readonly type: "self" };

/** Delivers messages between actors. */
export interface MessageService {
  agents(asker: ActorId): readonly MailEntry[];
  /** The names of the program's own actors, which take text too. */
  actors(): readonly string[];
  /** Throws an error with a sentence if it cannot be delivered. */
  send(from: ActorId, to: string, text: string): Promise<Sent>;
}
