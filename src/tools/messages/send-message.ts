import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool } from "../tool.ts";
import type { MessageService, Sent } from "./service.ts";

const SendMessageInput = z.strictObject({
  to: z.string().check(z.minLength(1), z.describe("The id of an agent, `main`, or `parent` (required)")),
  message: z.string().check(z.minLength(1), z.describe("What to say, complete in itself (required)")),
});
type SendMessageInput = z.infer<typeof SendMessageInput>;

/** Words to another actor of the session. */
export function sendMessageTool(desk: MessageService): Tool<SendMessageInput, Sent, CallContext> {
  return {
    name: "SendMessage",
    aliases: [],
    permissionLevel: "read",
    parallel: true,
    repeatable: false,
    inputSchema: SendMessageInput,
    description: {
      what: "Says something to another agent of this session. One that runs hears it at its next turn; one that has ended goes on with it, with all it knew, and you are notified of its new report.",
      when: "Something came up that changes another agent's task; a report leaves a question that its agent can answer from what it has read; agents work on parts that touch each other.",
      whenNot: [
        "To ask how far an agent is: it tells you when it has finished.",
        naming`A task of its own is for a new ${"Agent"}.`,
      ],
      how: [
        "`to` is an id, as the launch of the agent gave it; `main` is the main conversation, `parent` whoever started you.",
        naming`${"ListAgents"} has all ids.`,
        "The message must stand alone: say what it is about.",
      ],
      recover:
        "An unknown address is answered with those that exist. If the agent ends before it has heard you, you are told.",
      limits: "There is no answer to a message but what the agent then does or reports.",
    },
    title: ({ to, message }) => `${to}: ${message.slice(0, 80)}`,
    accesses: () => [],
    async call({ to, message }, { actor }) {
      const sent = await desk.send(actor, to, message);
      switch (sent.type) {
        case "queued":
        case "resumed":
          return sent;
        case "self":
          return failed("That is you. Send to another agent.");
        case "unknown": {
          const ids = desk.agents(actor).filter(({ isYou }) => !isYou);
          const known = ids.map(({ id, description, type }) => `${id} (${description || type})`);
          return failed(
            `There is no agent ${JSON.stringify(to)}; nothing was sent. ${known.length === 0 ? "You are the only one." : `There are: ${known.join(", ")}.`}`,
          );
        }
        default:
          return sent satisfies never;
      }
    },
    mapToolResultToToolResultBlockParam: (sent) =>
      sent.type === "resumed"
        ? `Agent ${sent.id} had ended; it goes on with your message. You will be notified of its report.`
        : "Delivered; it is heard at the next turn.",
  };
}
