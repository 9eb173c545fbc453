import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { ActorAtRest } from "../../journal/session-state.ts";
import { resultText } from "../../mailbox/compacted.ts";
import type { ContentBlockParam } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { blocksOf, conversationOf } from "../../mailbox/turns.ts";
import { callTitle } from "../top/call-title.ts";
import { userText } from "../user-text.ts";
import { saidChunks } from "./session-updates.ts";
import { showCall, textContent, todoEntries, toolCallId } from "./tool-calls.ts";

type PastConversation = Pick<ActorAtRest, "spec" | "turns" | "unheard" | "reply">;

/** Returns what a client is shown of a conversation before now: prompts, replies, calls with the first lines of their results. */
export function pastUpdates({ spec, turns }: PastConversation): SessionUpdate[] {
  const messages = conversationOf(spec.messages, turns);
  const results = new Map<string, ContentBlockParam>();
  for (const block of messages.flatMap(blocksOf))
    if (block.type === "tool_result") results.set(block.tool_use_id, block);
  return messages.flatMap((message): SessionUpdate[] => {
    if (message.role === "user") {
      const text = userText(message);
      return text === "" ? [] : [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
    }
    return blocksOf(message).flatMap((block) => {
      return block.type === "tool_use" ? pastCall(block, results.get(block.id)) : saidChunks([block]);
    });
  });
}

function pastCall(
  { id, name: tool, input }: Extract<ContentBlockParam, { type: "tool_use" }>,
  result: ContentBlockParam | undefined,
): SessionUpdate[] {
  const plan = todoEntries({ tool, input });
  if (plan !== null) return [{ sessionUpdate: "plan", entries: plan }];
  const shown = showCall({ tool, input, title: callTitle(tool, input) });
  const { content = "", is_error: isError = false } = result?.type === "tool_result" ? result : {};
  const isDone = result !== undefined && !isError;
  const text = typeof content === "string" ? content : resultText([...content]);
  return [
    {
      sessionUpdate: "tool_call",
      ...{ toolCallId: toolCallId(MAIN, id), status: isDone ? "completed" : "failed" },
      content: [textContent(text.slice(0, 4000))],
      ...shown,
    },
  ];
}
