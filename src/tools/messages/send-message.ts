import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool } from "../tool.ts";
import type { MessageService, Sent } from "./service.ts";

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
