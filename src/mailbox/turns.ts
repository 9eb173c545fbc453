import { type Compacted, withoutResults } from "./compacted.ts";
import { addUsage, type ContentBlockParam, type MessageParam, noUsage, type Usage } from "./conversation.ts";
import type { ActorSpec, Receipts, Steer, Todo, Turn } from "./messages.ts";

/**
 * The conversation after these turns. Roles alternate strictly (A1.8): text for the model joins the last
 * user message, where there is one.
 */
export function conversationOf(start: readonly MessageParam[], turns: readonly Turn[]): MessageParam[] {
  const messages = [...start];
  for (const turn of turns) {
    hear(messages, turn.heard);
    messages.push(...turn.messages);
  }
  return messages;
}

/** The conversation as its model is shown it: the same, unless it was made smaller. */
export function shownConversation(
  { id, messages, compacted }: Pick<ActorSpec, "id" | "messages" | "compacted">,
  turns: readonly Turn[],
): MessageParam[] {
  if (!compacted) return conversationOf(messages, turns);
  const start = compacted.messages.length > 0 ? compacted.messages : messages;
  const kept = turns.filter(({ turn }) => turn > compacted.through);
  return conversationOf(
    start,
    kept.map((turn) => shownTurn(id, turn, compacted)),
  );
}

function shownTurn(actor: string, turn: Turn, { elided, folder }: Compacted): Turn {
  if (turn.turn > elided) return turn;
  return { ...turn, messages: withoutResults(turn.messages, turn.turn, { actor, folder }) };
}

/** Adds steering to the conversation in place of the list, never of a message: records share those. */
export function hear(messages: MessageParam[], steering: readonly Steer[]): void {
  for (const { text } of steering) {
    const last = messages.at(-1);
    if (last?.role !== "user") messages.push({ role: "user", content: text });
    else
      messages[messages.length - 1] = { role: "user", content: [...blocksOf(last), { type: "text", text }] };
  }
}

export function blocksOf(message: MessageParam): readonly ContentBlockParam[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

export function usageOf(turns: readonly Turn[]): Usage {
  return turns.reduce((sum, turn) => addUsage(sum, turn.usage), noUsage);
}

/** The agent's list as its turns left it. */
export function todoOf(turns: readonly Turn[]): readonly Todo[] {
  return turns.findLast(({ todo }) => todo !== undefined)?.todo ?? [];
}

export const noReceipts: Receipts = { tools: {}, files: [], commands: [] };

export function addReceipts(a: Receipts, b: Receipts): Receipts {
  const tools = { ...a.tools };
  for (const [tool, count] of Object.entries(b.tools)) {
    tools[tool] = (Object.hasOwn(tools, tool) ? (tools[tool] ?? 0) : 0) + count;
  }
  return { tools, files: [...a.files, ...b.files], commands: [...a.commands, ...b.commands] };
}

export function receiptsOf(turns: readonly Turn[]): Receipts {
  return turns.reduce((sum, turn) => addReceipts(sum, turn.receipts), noReceipts);
}
