import type { JournalRecord } from "../../journal/session-events.ts";
import type { MessageParam } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { userText } from "../user-text.ts";

/** A prompt to which a conversation can return. */
export interface RewindPoint {
  /** Of the first record that is cut off. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** As the user wrote it, without what the runtime attached. */
  readonly text: string;
}

/** Returns the prompts that began a turn of the main conversation, newest first. What was said while it worked is none. */
export function findRewindPoints(records: readonly JournalRecord[]): readonly RewindPoint[] {
  const points: RewindPoint[] = [];
  let isAtRest = true;
  for (const { seq, at, event } of records) {
    if (event.type === "spawn" && event.spec.id === MAIN) {
      const [first] = event.spec.messages;
      if (first !== undefined) points.push({ seq, at, text: typedText(first) });
      isAtRest = false;
    }
    if (!("actor" in event) || event.actor !== MAIN) continue;
    if (event.type === "summary") isAtRest = true;
    if (event.type === "reopen" || event.type === "start") isAtRest = false;
    if (event.type === "prompt" && isAtRest && !event.notice && !event.system && event.from === undefined)
      points.push({ seq, at, text: typedText(event.message) });
  }
  return points.filter(({ text }) => text.trim() !== "").toReversed();
}

/** What the user had run in a shell is below a prompt, and counts only where it was run. */
function typedText(message: MessageParam): string {
  return userText(message).replace(/\n\n<system-reminder>\n[\s\S]*<\/system-reminder>\s*$/, "");
}
