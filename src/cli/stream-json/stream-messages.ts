import type { CallEndEvent, CallEvent } from "../../events/call.ts";
import {
  type AgentView,
  EVENTS_VERSION,
  type MessageEvent,
  type SupervisorEvent,
} from "../../events/event.ts";
import { given } from "../../lib/json.ts";
import { type ActorId, type CallId, MAIN } from "../../mailbox/ids.ts";
import type { Status } from "../../mailbox/messages.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";

export interface StreamOptions {
  readonly session: Pick<SupervisorHandle, "session" | "describe" | "skills" | "mcpServers" | "mode">;
  readonly cwd: string;
  /** True for pieces of replies as they are written. */
  readonly partial: boolean;
  newId(): string;
}

type Piece = Extract<SupervisorEvent, { type: "text" | "thinking" }>;
type Line = Readonly<Record<string, unknown>>;

/**
 * Returns a function from what a session reports to the lines of `--output-format stream-json`. The names of the fields
 * are those that users' scripts know; our own lines are of type `system` with a subtype `troupe_…`.
 */
export function createStreamMessages({
  session,
  cwd,
  partial,
  newId,
}: StreamOptions): (event: SupervisorEvent) => Line[] {
  const toolUses = new Map<CallId, string>();
  const views = new Map<ActorId, AgentView>();
  /** Ends of calls whose results were not written yet, by the provider's ID. */
  const ends = new Map<string, CallEndEvent>();
  let hasBegun = false;
  /** The reply that is being written, and its block; null between replies. */
  let writing: { readonly turn: number; readonly index: number; readonly type: Piece["type"] } | null = null;
  /** Line breaks at the end of its last thought for the user, which count if its block goes on. */
  let gap = "";

  const line = (fields: Line): Line => ({ ...fields, session_id: session.session, uuid: newId() });
  const system = (subtype: string, fields: Line): Line => line({ type: "system", subtype, ...fields });

  const begin = (): Line[] => {
    if (hasBegun) return [];
    hasBegun = true;
    const { tools, agents, model } = session.describe();
    return [
      system("init", {
        cwd,
        ...{ tools, agents, model, permissionMode: session.mode() },
        skills: session.skills().map(({ name }) => name),
        slash_commands: session.skills().map(({ name }) => name),
        mcp_servers: session.mcpServers().map(({ name, state }) => ({ name, status: state.type })),
        events_version: EVENTS_VERSION,
      }),
    ];
  };

  /** Whose message it is: of an agent, its name and the call that started it. */
  const who = (actor: ActorId): Line => {
    const view = views.get(actor);
    if (actor === MAIN || view === undefined) return { parent_tool_use_id: null };
    return {
      parent_tool_use_id: toolUseOf(view),
      agent_id: actor,
      subagent_type: view.type,
      task_description: view.description,
    };
  };
  const toolUseOf = ({ call }: AgentView): string | null =>
    call === null ? null : (toolUses.get(call) ?? null);

  const callLine = (subtype: "begin" | "progress" | "end", event: CallEvent, more: Line): Line => {
    const { actor, call, toolUse, tool } = event;
    return system(`troupe_call_${subtype}`, {
      ...{ ...who(actor), call, tool_use_id: toolUse, tool_name: tool },
      ...more,
    });
  };

  const message = (event: MessageEvent): Line[] => {
    const { actor, turn, role, content, usage, model } = event;
    const pieces = actor === MAIN && role === "assistant" ? endOfPieces(turn) : [];
    if (role === "assistant") {
      const of = { id: `msg_${actor}_${turn}`, type: "message", role, model, content };
      const said = { ...of, stop_reason: null, stop_sequence: null, usage };
      return [...pieces, line({ type: role, message: said, ...who(actor) })];
    }
    const results = typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result");
    const [result] = results;
    const end = result?.type === "tool_result" ? ends.get(result.tool_use_id) : undefined;
    for (const one of results) if (one.type === "tool_result") ends.delete(one.tool_use_id);
    const own =
      end === undefined || results.length > 1
        ? {}
        : { tool_use_result: { ...resultFields(end), ...patchFields(end) } };
    return [...pieces, line({ type: role, message: { role, content }, ...who(actor), ...own })];
  };

  const piece = (event: Line): Line => line({ type: "stream_event", event, parent_tool_use_id: null });
  const endOfPieces = (turn: number): Line[] => {
    if (writing?.turn !== turn) return [];
    const { index } = writing;
    writing = null;
    return [piece({ type: "content_block_stop", index }), piece({ type: "message_stop" })];
  };
  /** Returns a thought for the user without the line breaks that set it apart on a screen: its block has none. */
  const withoutGap = (told: string, isNew: boolean): string => {
    const whole = isNew ? told.replace(/^\n+/, "") : gap + told;
    const text = whole.replace(/\n+$/, "");
    gap = whole.slice(text.length);
    return text;
  };
  /** One block for each stretch of text or of thoughts, as the API has them. */
  const written = (of: Piece): Line[] => {
    if (!partial) return [];
    const { type, turn } = of;
    const before = writing?.turn === turn ? writing : null;
    const isNew = before?.type !== type;
    const text = type === "thinking" && of.forUser ? withoutGap(of.text, isNew) : of.text;
    if (text === "") return [];
    const index = before === null ? 0 : before.index + (isNew ? 1 : 0);
    writing = { turn, index, type };
    const message = { id: `msg_${MAIN}_${turn}`, type: "message", role: "assistant", content: [] };
    const [block, delta] =
      type === "text"
        ? [
            { type, text: "" },
            { type: "text_delta", text },
          ]
        : [
            { type, thinking: "", signature: "" },
            { type: "thinking_delta", thinking: text },
          ];
    return [
      ...(before === null ? [piece({ type: "message_start", message })] : []),
      ...(before !== null && isNew ? [piece({ type: "content_block_stop", index: before.index })] : []),
      ...(isNew ? [piece({ type: "content_block_start", index, content_block: block })] : []),
      piece({ type: "content_block_delta", index, delta }),
    ];
  };

  const agent = (view: AgentView): Line[] => {
    const before = views.get(view.id);
    views.set(view.id, view);
    if (view.id === MAIN) {
      // What it was writing when it was stopped has no end, and the next reply has the same turn.
      if (view.state === "ended") writing = null;
      return [];
    }
    const { id, type, description, turns, state, summary, costUsd, usage } = view;
    const of = { task_id: id, tool_use_id: toolUseOf(view), subagent_type: type, description };
    const started = before === undefined ? [system("task_started", of)] : [];
    if (state === "ended" && before?.state !== "ended") {
      const how = {
        status: summary === null ? "stopped" : taskStatus(summary.status),
        summary: summary?.text ?? "",
      };
      return [
        ...started,
        system("task_notification", { ...of, ...how, usage, total_cost_usd: costUsd, num_turns: turns }),
      ];
    }
    // A tree of hundreds of agents changes too often to report all of it.
    const isNew = before !== undefined && (before.turns !== turns || before.state !== state);
    return isNew ? [system("task_progress", { ...of, state, num_turns: turns, usage })] : started;
  };

  return (event) => {
    switch (event.type) {
      case "agent": {
        const lines = agent(event.view);
        return event.view.state === "queued" ? lines : [...begin(), ...lines];
      }
      case "text":
      case "thinking":
        return event.actor === MAIN ? written(event) : [];
      case "message":
        return message(event);
      case "call-begin":
        toolUses.set(event.call, event.toolUse);
        return [callLine("begin", event, { tool_input: event.input, title: event.title })];
      case "call-progress":
        return [callLine("progress", event, { tail: event.tail, lines: event.lines })];
      case "call-end":
        ends.set(event.toolUse, event);
        return [callLine("end", event, resultFields(event))];
      case "waiting":
        // The reply is written again from its start.
        if (event.actor === MAIN && event.attempt !== null) writing = null;
        return event.attempt === null
          ? []
          : [
              system("api_retry", {
                attempt: event.attempt,
                retry_delay_ms: event.ms,
                error_status: event.status ?? null,
                error: event.reason,
                ...who(event.actor),
              }),
            ];
      case "paused":
        return [
          system("troupe_paused", {
            model: event.model,
            until: event.until,
            since: event.since,
            reason: event.reason,
          }),
        ];
      case "asked":
        return [system("troupe_asked", { id: event.id, what: event.what })];
      case "settled":
        return [system("troupe_settled", { id: event.id, answer: event.answer })];
      case "warning":
        return [system("troupe_warning", { message: event.message })];
      case "compacted": {
        const { trigger, before, after } = event;
        const compact_metadata = { trigger, pre_tokens: before, post_tokens: after };
        return [system("compact_boundary", { ...who(event.actor), compact_metadata })];
      }
      case "queued": {
        const { id, text, state, actor } = event;
        return [system("troupe_queued", { id, state, text, ...who(actor) })];
      }
      case "merge": {
        const { type: _, actor, ...merge } = event;
        return [system("troupe_merge", { ...merge, ...who(actor) })];
      }
      case "woken":
        return [system("troupe_woken", { because: event.because })];
      // The first line has the session, a prompt is the program's own, and notices come when something continues.
      case "session":
      case "prompt":
      case "command":
      // The result says it.
      case "answered":
        return [];
      default:
        return event satisfies never;
    }
  };
}

function resultFields({
  outcome,
  reason,
  head,
  lines,
  exitCode,
  outputPath,
  diff,
  durationMs,
}: CallEndEvent): Line {
  return {
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...{ head, lines },
    ...given({ exit_code: exitCode, output_path: outputPath, diff }),
    duration_ms: durationMs,
  };
}

/** By the names that scripts know. */
function patchFields({ diff }: CallEndEvent): Line {
  return diff === undefined ? {} : { filePath: diff.path, structuredPatch: diff.hunks };
}

function taskStatus(status: Status): "completed" | "failed" | "stopped" {
  if (status === "done") return "completed";
  return status === "cancelled" ? "stopped" : "failed";
}
