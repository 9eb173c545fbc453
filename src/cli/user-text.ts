import { withoutHookWords } from "../features/hooks/hook-words.ts";
import { shorten } from "../lib/text.ts";
import type { ContentBlockParam } from "../mailbox/conversation.ts";
import { cutToWidth } from "../terminal/display-width.ts";
import { safeLine } from "../terminal/safe-text.ts";

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

/** Returns a description of the agent that does a task: the task's beginning. */
export function taskName(task: string): string {
  return cutToWidth(safeLine(task).split(" ").slice(0, 7).join(" "), 48);
}

/** Returns the title by which the user recognises a session in a list. */
export function sessionTitle(text: string): string {
  return cutToWidth(safeLine(text), 100);
}

/** More of one thing is not shown on a line. */
const MAX_CHARS = 400;

/** Returns the beginning of a text as one line that is safe for a terminal. */
export function excerpt(text: string): string {
  // What is cut off need not be made safe.
  return shorten(safeLine(text.slice(0, 4 * MAX_CHARS)), MAX_CHARS);
}
