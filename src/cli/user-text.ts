import { withoutHookWords } from "../features/hooks/hook-words.ts";
import type { ContentBlockParam } from "../mailbox/conversation.ts";

interface Message {
  readonly content: string | readonly ContentBlockParam[];
}

/** Returns the user's part of a message: what the runtime adds is in blocks of its own, and what hooks add is marked. */
export function userText(message: Message): string {
  return withoutHookWords(textsOf(message).filter(isUserText).join("\n")).trim();
}

export function isUserText(text: string): boolean {
  return !text.startsWith("<system-reminder>");
}

export function messageText(message: Message): string {
  return textsOf(message).join("\n").trim();
}

function textsOf({ content }: Message): string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}
