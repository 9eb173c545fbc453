import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { eventsOf, type PastConversation } from "../../features/events/journal-events.ts";
import { userText } from "../user-text.ts";
import { sessionUpdates } from "./session-updates.ts";

/** Returns what a client is shown of a conversation before now: prompts, replies, calls with the first lines of their results. */
export function pastUpdates(past: PastConversation): SessionUpdate[] {
  const toUpdates = sessionUpdates(new Set());
  return eventsOf(past).flatMap((event) => {
    if (event.type !== "prompt") return toUpdates(event);
    const text = userText(event);
    return text === "" ? [] : [{ sessionUpdate: "user_message_chunk", content: { type: "text", text } }];
  });
}
