import { bindTool } from "../bind-tool.ts";
import { listAgentsTool } from "./list-agents.ts";
import { sendMessageTool } from "./send-message.ts";
import type { MessageService } from "./service.ts";

/** The tools by which actors of a session reach one another. */
export function mailTools(service: MessageService) {
  return [bindTool(sendMessageTool(service)), bindTool(listAgentsTool(service))];
}
