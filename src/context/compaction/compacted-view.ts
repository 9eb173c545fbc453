import type { CompactBegin, Compacted, Trigger } from "../../mailbox/compacted.ts";
import { type ContentBlockParam, type MessageParam, noUsage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Steer, Turn } from "../../mailbox/messages.ts";
import { appendSteering, blocksOf, shownConversation } from "../../mailbox/turns.ts";
import { summaryRequest, summaryText, WORDS_SINCE } from "./instructions.ts";
import { tokensOfMessages, tokensOfText } from "./tokens.ts";

/** A conversation and how it is shown, between two turns. */
export interface CompactedView {
  readonly id: ActorId;
  /** Before its first turn. */
  readonly messages: readonly MessageParam[];
  /** Those that still stand in it. */
  readonly turns: readonly Turn[];
  /** Since the last of them. */
  readonly heard: readonly Steer[];
  /** What the person and other agents said to it, by the turn that heard it. */
  readonly words: readonly { readonly turn: number; readonly text: string }[];
  readonly compacted: Compacted | null;
}

/** A conversation as it was. */
export function notCompacted(folder: string): Compacted {
  return { turn: 0, messages: [], through: 0, elided: 0, folder, usage: noUsage, failures: 0 };
}

/** How it would look. */
export function messagesOf(shown: CompactedView, compacted = shown.compacted): MessageParam[] {
  const { id, turns, heard } = shown;
  const messages = shownConversation(
    { id, messages: [...shown.messages], ...(compacted ? { compacted } : {}) },
    turns,
  );
  appendSteering(messages, heard);
  return messages;
}

/**
 * What stands in place of everything up to the turn `through`: the task, pinned; the summary; and the newest of what
 * was said since, word for word, in `wordTokens` tokens. A fork's orders stay too.
 */
export function foldedMessage(
  { messages, words }: CompactedView,
  through: number,
  summary: { readonly text: string; readonly trigger: Trigger },
  wordTokens: number,
): MessageParam {
  const [task, ...others] = messages;
  const orders = others.at(-1);
  const said = newestWords(
    words.filter(({ turn }) => turn <= through).map(({ text }) => text),
    wordTokens,
  );
  return {
    role: "user",
    content: [
      ...(task ? textAlone(task) : []),
      text(summaryText(summary.text, summary.trigger)),
      ...(orders?.role === "user" ? textAlone(orders) : []),
      ...(said.length > 0 ? [WORDS_SINCE, ...said].map(text) : []),
    ],
  };
}

/** Without results, whose calls are gone. */
function textAlone(message: MessageParam): ContentBlockParam[] {
  return blocksOf(message).filter(({ type }) => type !== "tool_result");
}

/** The last one whatever it takes: it is what is being worked on. */
function newestWords(words: readonly string[], most: number): string[] {
  const kept: string[] = [];
  let left = most;
  for (const word of words.toReversed()) {
    left -= tokensOfText(word);
    if (left < 0 && kept.length > 0) break;
    kept.unshift(word);
  }
  return kept;
}

function text(words: string): ContentBlockParam {
  return { type: "text", text: words };
}

/**
 * The request for a summary of everything up to `through`, in at most `most` tokens by our estimate: as the model was
 * shown it, so that the cache holds; else without long results; else without the oldest turns as well. Null where
 * nothing is left.
 */
export function summaryMessages(
  shown: CompactedView,
  through: number,
  { instructions, trigger }: CompactBegin,
  most: number,
): MessageParam[] | null {
  const asked = [{ text: summaryRequest(instructions, trigger) }];
  const turns = shown.turns.filter(({ turn }) => turn <= through);
  const told = { ...shown, turns, heard: asked };
  const whole = messagesOf(told);
  if (tokensOfMessages(whole) <= most) return whole;
  const bare = { ...(shown.compacted ?? notCompacted("")), elided: through };
  for (let dropped = 0; dropped <= turns.length; dropped = Math.max(1, dropped * 2)) {
    const messages = messagesOf({ ...told, turns: turns.slice(dropped) }, bare);
    if (tokensOfMessages(messages) <= most) return messages;
  }
  return null;
}
