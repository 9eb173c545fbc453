import { type Compacted, withoutResults } from "./compacted.ts";
import {
  addUsage,
  type ContentBlockParam,
  type MessageParam,
  noUsage,
  type ToolDefinition,
  textOf,
  type Usage,
} from "./conversation.ts";
import type { ActorSpec, AgentTool, Receipts, Steer, Todo, Turn } from "./messages.ts";
import type { Location } from "./worktree.ts";

/**
 * Returns the conversation after these turns. Roles alternate strictly (A1.8): text for the model joins the last user
 * message, if there is one.
 */
export function conversationOf(start: readonly MessageParam[], turns: readonly Turn[]): MessageParam[] {
  const messages = [...start];
  for (const turn of turns) {
    appendSteering(messages, turn.heard);
    messages.push(...turn.messages);
  }
  return messages;
}

/** Returns the conversation as its model sees it, after any compaction. */
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

function shownTurn(actor: string, turn: Turn, compacted: Compacted): Turn {
  if (turn.turn > compacted.elided) return turn;
  return { ...turn, messages: withoutResults(turn.messages, turn.turn, { actor, ...compacted }) };
}

/** Adds steering to the list in place, never to a message, as records share those. */
export function appendSteering(messages: MessageParam[], steering: readonly Steer[]): void {
  for (const { text, pictures = [], system } of steering) {
    if (system) continue;
    const last = messages.at(-1);
    const said: ContentBlockParam[] = [{ type: "text", text }, ...pictures];
    if (last?.role !== "user") messages.push({ role: "user", content: pictures.length === 0 ? text : said });
    else messages[messages.length - 1] = { role: "user", content: [...blocksOf(last), ...said] };
  }
}

export function blocksOf(message: MessageParam): readonly ContentBlockParam[] {
  // Read once: the content of one that came as bytes is parsed each time.
  const { content } = message;
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the received notices for the system prompt, each text once. */
export function systemHeard(turns: readonly Pick<Turn, "heard">[], heard: readonly Steer[] = []): string[] {
  const all = [...turns.flatMap((turn) => turn.heard), ...heard];
  return [...new Set(all.flatMap(({ text, system }) => (system ? [text] : [])))];
}

/** Returns the tools for requests, without deferred ones. */
export function toolsInRequests(
  tools: readonly (ToolDefinition & Pick<AgentTool, "deferred">)[],
): ToolDefinition[] {
  return tools.flatMap(({ name, description, input_schema, deferred }) =>
    deferred ? [] : [{ name, description, input_schema }],
  );
}

/** Returns an agent's tools with those announced since; a known name is not added again. */
export function toolsWith(
  tools: readonly AgentTool[],
  heard: readonly Pick<Steer, "tools">[],
): readonly AgentTool[] {
  const all = [...tools];
  for (const tool of heard.flatMap(({ tools: more = [] }) => more)) {
    if (!all.some(({ name }) => name === tool.name)) all.push(tool);
  }
  return all.length === tools.length ? tools : all;
}

/** Returns the text of the turn's own reply; empty without one. */
export function replyText({ messages }: Pick<Turn, "messages">): string {
  const said = messages.find(({ role }) => role === "assistant");
  return said === undefined ? "" : textOf(blocksOf(said));
}

export function usageOf(turns: readonly Turn[]): Usage {
  return turns.reduce((sum, turn) => addUsage(sum, turn.usage), noUsage);
}

/** Returns the agent's list after its turns. */
export function todoOf(turns: readonly Turn[]): readonly Todo[] {
  return turns.findLast(({ todo }) => todo !== undefined)?.todo ?? [];
}

/** Returns where the turns have moved an actor, or null if it is where its spec says. */
export function lastLocation(turns: readonly Turn[]): Location | null {
  return turns.findLast(({ place }) => place !== undefined)?.place ?? null;
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
