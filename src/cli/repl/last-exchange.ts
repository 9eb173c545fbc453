import { withoutHookWords } from "../../features/hooks/hook-words.ts";
import type { ActorAtRest } from "../../journal/session-state.ts";
import type { MessageParam } from "../../mailbox/conversation.ts";
import { conversationOf } from "../../mailbox/turns.ts";
import { isUserText, messageText, userText } from "../user-text.ts";

/** The user's last prompt and the text replied to it. */
export interface LastExchange {
  readonly prompt: string;
  /** Empty if there is no text yet. */
  readonly said: string;
}

/** Returns null if there was no prompt. */
export function lastExchange({
  spec,
  turns,
  reply,
  unheard,
}: Pick<ActorAtRest, "spec" | "turns" | "reply" | "unheard">): LastExchange | null {
  const messages = conversationOf(spec.messages, turns);
  const heard: MessageParam[] = (reply?.heard ?? []).map(({ text }) => ({ role: "user", content: text }));
  const all = [...messages, ...heard];
  if (reply !== null) all.push({ role: "assistant", content: reply.content });
  const owed = unheard.map(({ text }) => withoutHookWords(text)).filter(isUserText);
  const last = owed.at(-1);
  if (last !== undefined && !heard.some((message) => userText(message) === last))
    return { prompt: last, said: "" };
  const at = all.findLastIndex((message) => message.role === "user" && userText(message) !== "");
  const asked = all[at];
  if (asked === undefined) return null;
  const said = all.slice(at + 1).filter(({ role }) => role === "assistant");
  return { prompt: userText(asked), said: said.map(messageText).filter(Boolean).at(-1) ?? "" };
}
