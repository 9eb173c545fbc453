import { withoutHookWords } from "../features/hooks/hook-words.ts";
import type { MessageParam } from "../mailbox/conversation.ts";
import { blocksOf } from "../mailbox/turns.ts";

/** Returns the user's part of a message: what the runtime adds is in blocks of its own, and what hooks add is marked. */
export function userText(message: MessageParam): string {
  return withoutHookWords(textsOf(message).filter(isUserText).join("\n")).trim();
}

export function isUserText(text: string): boolean {
  return !text.startsWith("<system-reminder>");
}

export function messageText(message: MessageParam): string {
  return textsOf(message).join("\n").trim();
}

function textsOf(message: MessageParam): string[] {
  return blocksOf(message).flatMap((block) => (block.type === "text" ? [block.text] : []));
}
