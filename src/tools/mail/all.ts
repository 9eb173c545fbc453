import { seal } from "../sealed.ts";
import type { MailDesk } from "./desk.ts";
import { listAgentsTool } from "./list-agents.ts";
import { sendMessageTool } from "./send-message.ts";

/** The tools by which actors of a session reach one another. */
export function mailTools(desk: MailDesk) {
  return [seal(sendMessageTool(desk)), seal(listAgentsTool(desk))];
}
