import type { CompactBegin, Compacted, Trigger } from "../../mailbox/compacted.ts";
import { type ContentBlockParam, type MessageParam, noUsage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Inherited, Steer, Turn } from "../../mailbox/messages.ts";
import { appendSteering, blocksOf, shownConversation } from "../../mailbox/turns.ts";
import { tokensOfMessages, tokensOfText } from "./tokens.ts";

/** A conversation and how the model sees it, between two turns. */
export interface CompactedView {
  readonly id: ActorId;
  /** Before its first turn. */
  readonly messages: readonly MessageParam[];
  /** What a server has counted for its start, in another conversation, or null. */
  readonly counted: NonNullable<Inherited["counted"]> | null;
  /** Turns that are not compacted. */
  readonly turns: readonly Turn[];
  /** Steering since the last turn. */
  readonly heard: readonly Steer[];
  /** Messages of the user and of other agents, by the turn that received them. */
  readonly words: readonly { readonly turn: number; readonly text: string }[];
  readonly compacted: Compacted | null;
}

/** The state of a conversation that was never compacted. */
export function notCompacted(folder: string): Compacted {
  return { turn: 0, messages: [], through: 0, elided: 0, folder, usage: noUsage, failures: 0 };
}

/** Returns the messages that the model would see. */
export function messagesOfView(shown: CompactedView, compacted = shown.compacted): MessageParam[] {
  const { id, turns, heard } = shown;
  const messages = shownConversation(
    { id, messages: [...shown.messages], ...(compacted ? { compacted } : {}) },
    turns,
  );
  appendSteering(messages, heard);
  return messages;
}

/**
 * Returns what replaces everything up to the turn `through`: the task; the summary; and the newest messages since then,
 * verbatim, in `wordTokens` tokens. A fork's directive stays too.
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

/** Without results, whose calls are no longer there. */
function textAlone(message: MessageParam): ContentBlockParam[] {
  return blocksOf(message).filter(({ type }) => type !== "tool_result");
}

/** Always with the last one: it is the current request. */
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
 * Returns the request for a summary of everything up to `through`, in about `most` tokens: as the model saw it, so that
 * the cache is used; else without long results; else without the oldest turns as well. Null if nothing would be left.
 */
export function summaryMessages(
  shown: CompactedView,
  through: number,
  { instructions, trigger }: CompactBegin,
  most: number,
): MessageParam[] | null {
  const asked = [{ text: summaryRequest(instructions, trigger) }];
  const turns = shown.turns.filter(({ turn }) => turn <= through);
  const asking = { ...shown, turns, heard: asked };
  const whole = messagesOfView(asking);
  if (tokensOfMessages(whole) <= most) return whole;
  const bare = { ...(shown.compacted ?? notCompacted("")), elided: through };
  for (let dropped = 0; dropped <= turns.length; dropped = Math.max(1, dropped * 2)) {
    const messages = messagesOfView({ ...asking, turns: turns.slice(dropped) }, bare);
    if (tokensOfMessages(messages) <= most) return messages;
  }
  return null;
}

/** Why a summary is requested. */
const WHY: Readonly<Record<Trigger, string>> = {
  auto: "The context window is nearly full.",
  manual: "The user wants this conversation to be compacted.",
};

/** Why the conversation was removed, for the model. */
const WHY_GONE: Readonly<Record<Trigger, string>> = {
  auto: "The conversation up to here no longer fit into the context window.",
  manual: "The user had the conversation up to here compacted.",
};

/** Returns the request to the model in place of its next step. `wanted`: instructions of the user and of hooks. */
export function summaryRequest(wanted: string, trigger: Trigger): string {
  const more = wanted.trim();
  return `<system-reminder>
${WHY[trigger]} Everything above will be removed and replaced by what you write now, except for the task, the messages of the user, and the newest turns, which stay as they are. You will continue from your notes and know nothing else of what came before. Call no tool and do no other work in this reply: write only the notes, complete in themselves, and as short as possible without losing what is needed.

Write under these headings, leaving out one that would be empty:
1. Task: what to do and what the result must be like, with every condition that was set, including those of an earlier summary.
2. Done: what has been done and found, each with its evidence; what was tried and did not work, so that it is not tried again.
3. Decisions: what was decided and why; what was ruled out.
4. Files: every file that matters, by its absolute path, with what is in it (names of functions, line numbers) and what was changed.
5. Commands and errors: exact commands that are still needed and how they ended; error messages verbatim, if they are not solved.
6. Open: what is left, in order, and what you were about to do next.

Copy names, paths, numbers, identifiers and messages exactly. Claim nothing that is not above.${more === "" ? "" : `\n\nMore instructions for this summary:\n${more}`}
</system-reminder>`;
}

/** Returns the summary as the model will see it, marked as text of the runtime. */
export function summaryText(summary: string, trigger: Trigger): string {
  return `<system-reminder>
${WHY_GONE[trigger]} These are your own notes of it; the task above is unchanged, and the newest turns follow unchanged. To see a result that was removed, read the file or make the call again.

${summary.trim()}
</system-reminder>`;
}

const WORDS_SINCE =
  "<system-reminder>\nThe messages to you since the task was given, verbatim:\n</system-reminder>";
