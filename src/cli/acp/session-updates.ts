import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { AgentView, MessageEvent, SupervisorEvent } from "../../events/event.ts";
import type { ContentBlockParam } from "../../mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN } from "../../mailbox/ids.ts";
import type { Todo } from "../../mailbox/messages.ts";
import { diffContent, showCall, textContent, toolCallId, writtenTodos } from "./tool-calls.ts";

interface OpenCall {
  readonly id: string;
  readonly begin: CallBeginEvent;
}

/** What updates depend on other than events. */
export interface UpdateParts {
  /** IDs of calls that a permission request has shown already. */
  readonly announced: Set<string>;
  /** The main conversation's list before the first event. */
  readonly todos: readonly Todo[];
  /** The tasks that all agents share. */
  sharedTodos(): readonly Todo[];
}

/**
 * Returns a function from what a session reports to what its client is shown: the text of the main conversation, the calls
 * of all agents, and as the plan the main conversation's todo list and the shared tasks.
 */
export function sessionUpdates({
  announced,
  todos,
  sharedTodos,
}: UpdateParts): (event: SupervisorEvent) => SessionUpdate[] {
  let own = todos;
  /** As the plan was sent last. */
  let planned = "[]";
  const views = new Map<ActorId, AgentView>();
  const open = new Map<CallId, OpenCall>();
  /** The turn whose text came in pieces. */
  let written: number | null = null;
  /** The turn whose thoughts came in pieces. */
  let thought: number | null = null;

  const update = (id: string, fields: Omit<ToolCallUpdate, "toolCallId">): SessionUpdate[] => [
    { sessionUpdate: "tool_call_update", toolCallId: id, ...fields },
  ];

  const begin = (event: CallBeginEvent): SessionUpdate[] => {
    const { actor, call, toolUse } = event;
    const id = toolCallId(actor, toolUse);
    open.set(call, { id, begin: event });
    if (actor === MAIN && writtenTodos(event) !== null) return [];
    const agent = views.get(actor)?.type;
    const whose = actor === MAIN ? {} : { _meta: { troupe: { agent: actor, agentType: agent } } };
    const { content = [], ...about } = showCall(event);
    const shown = { toolCallId: id, ...about, status: "in_progress" as const, ...whose };
    // A permission request has shown what the call would change in the file as it is.
    if (announced.has(id)) return [{ sessionUpdate: "tool_call_update", ...shown }];
    return [{ sessionUpdate: "tool_call", ...shown, ...(content.length === 0 ? {} : { content }) }];
  };

  const end = (event: CallEndEvent): SessionUpdate[] => {
    const call = open.get(event.call);
    if (call === undefined) return [];
    open.delete(event.call);
    // Some providers use an ID twice.
    announced.delete(call.id);
    const { outcome, head, lines, exitCode = 0, reason, outputPath } = event;
    const isDone = outcome === "ok" && exitCode === 0;
    const list = call.begin.actor === MAIN ? writtenTodos(call.begin) : null;
    if (list !== null) {
      if (isDone) own = list;
      return [];
    }
    const more = lines > head.split("\n").length ? `\n… ${lines} lines in all` : "";
    const text = `${reason ?? head}${more}`;
    const changes = isDone && event.diff !== undefined ? diffContent(event.diff, call.begin.input) : [];
    const content = changes.length > 0 || text === "" ? changes : [textContent(text)];
    return update(call.id, {
      status: isDone ? "completed" : "failed",
      ...(content.length === 0 ? {} : { content }),
      rawOutput: { outcome, lines, exitCode, ...(outputPath === undefined ? {} : { outputPath }) },
    });
  };

  const plan = (): SessionUpdate[] => {
    const entries = [...own, ...sharedTodos()].map(({ content, status }) => {
      return { content, status, priority: "medium" as const };
    });
    const before = planned;
    planned = JSON.stringify(entries);
    return planned === before ? [] : [{ sessionUpdate: "plan", entries }];
  };

  const message = ({ actor, turn, role, content }: MessageEvent): SessionUpdate[] => {
    if (actor !== MAIN || role !== "assistant") return [];
    const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    return formatReplyChunks(
      blocks.filter(({ type }) => (type === "text" ? written !== turn : thought !== turn)),
    );
  };

  /** The state of an agent is a line at the call that waits for it. */
  const agent = (view: AgentView): SessionUpdate[] => {
    const before = views.get(view.id);
    views.set(view.id, view);
    const call = view.call === null ? undefined : open.get(view.call);
    if (call === undefined || (before?.turns === view.turns && before.state === view.state)) return [];
    return update(call.id, { content: [textContent(`${view.type}: ${view.state}, turn ${view.turns}`)] });
  };

  return (event) => {
    switch (event.type) {
      case "text":
        if (event.actor !== MAIN) return [];
        written = event.turn;
        return textChunk(event.text);
      case "thinking":
        if (event.actor !== MAIN) return [];
        thought = event.turn;
        return event.forUser ? textChunk(event.text) : thoughtChunk(event.text);
      case "message":
        return message(event);
      case "call-begin":
        return begin(event);
      case "call-progress": {
        const call = open.get(event.call);
        return call === undefined ? [] : update(call.id, { content: [textContent(event.tail)] });
      }
      case "call-end":
        return [...end(event), ...plan()];
      case "agent":
        return agent(event.view);
      default:
        // What waits for the user is a request of its own; the client's user learns of the rest from the answer.
        return [];
    }
  };
}

/** Returns text and thoughts of a reply. */
export function formatReplyChunks(blocks: readonly ContentBlockParam[]): SessionUpdate[] {
  return blocks.flatMap((block) => {
    if (block.type === "text") return textChunk(block.text);
    return block.type === "thinking" ? thoughtChunk(block.thinking) : [];
  });
}

function thoughtChunk(text: string): SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } }];
}

export function textChunk(text: string): SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }];
}
