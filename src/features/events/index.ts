import type { CallBeginEvent, CallEndEvent } from "../../events/call.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import type { Call } from "../../mailbox/calls.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { ContentBlockParam } from "../../mailbox/conversation.ts";
import { type ActorId, type CallId, callId } from "../../mailbox/ids.ts";
import type { Turn } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";
import { endOutput, headOf } from "./call-output.ts";

export interface EventParts {
  readonly clock: Pick<Clock, "now" | "after">;
  readonly onEvent: (event: SupervisorEvent) => void;
}

type Started = Pick<CallBeginEvent, "actor" | "call" | "toolUse" | "tool">;
const TAIL_LINES = 5;
/** Between two events of one call. A command that ends before has none. */
const PROGRESS_MS = 250;

/** A call that has begun, and what its command has printed. */
interface OpenCall {
  readonly of: Started;
  readonly startedAt: number;
  tail: readonly string[];
  lines: number;
  /** Withdraws the next progress; null if none is due. */
  withdraw: (() => void) | null;
}

export interface SessionEvents {
  readonly joints: Joints;
  /** Takes lines that the command of a call has printed. */
  onLines(call: CallId, lines: readonly string[]): void;
}

/**
 * Reports calls and messages to the session's listener: for each call one begin and one end, whatever happens to it.
 * Joints: `prepareCall` (a begin), `afterCall` (an end), `onEvent` (what was refused, queued lines, replies, turns, ends of runs).
 */
export function eventsFeature({ clock, onEvent }: EventParts): SessionEvents {
  const open = new Map<CallId, OpenCall>();
  /** The calls of the turn under way that have ended, by actor. */
  const ended = new Map<ActorId, Set<CallId>>();
  /** The turn whose reply was reported before its calls ran, by actor. */
  const said = new Map<ActorId, number>();

  /** Lines of the user that no recorded turn has read, by their IDs. */
  const queued = new Map<string, { readonly actor: ActorId; readonly text: string }>();
  const dequeue = (id: string, state: "read" | "withdrawn"): void => {
    const line = queued.get(id);
    if (line !== undefined && queued.delete(id)) onEvent({ type: "queued", id, ...line, state });
  };

  const begin = (call: Omit<CallBeginEvent, "type">): void => {
    const { actor, call: id, toolUse, tool } = call;
    const of = { actor, call: id, toolUse, tool };
    open.set(id, { of, startedAt: clock.now(), tail: [], lines: 0, withdraw: null });
    onEvent({ type: "call-begin", ...call });
  };
  const end = (id: CallId, how: Omit<CallEndEvent, "type" | "durationMs" | keyof Started>): void => {
    const call = open.get(id);
    if (call === undefined) return;
    open.delete(id);
    call.withdraw?.();
    const { of, startedAt } = call;
    const before = ended.get(of.actor);
    if (before) before.add(id);
    else ended.set(of.actor, new Set([id]));
    onEvent({ type: "call-end", ...of, ...how, durationMs: Math.round(clock.now() - startedAt) });
  };

  /** `of`: its title, and what the model says that it is for. */
  const beginCall = (
    actor: Actor,
    { id: call, toolUse, tool, input }: Pick<Call, "id" | "toolUse" | "tool" | "input">,
    { title, description }: Pick<CallBeginEvent, "title" | "description">,
  ): void =>
    begin({
      ...{ actor: actor.id, call, toolUse, tool, turn: actor.turnsTaken + 1, input, title },
      ...(description === undefined ? {} : { description }),
    });

  /** What was not reported of a turn's calls: they never came as far as a permission, or ran in an earlier process. */
  const finishTurn = (actor: Actor, { turn, messages, usage }: Turn): void => {
    const done = ended.get(actor.id);
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const calls = blocks.filter((block) => block.type === "tool_use");
    for (const [index, { id: toolUse, name: tool, input }] of calls.entries()) {
      const call = callId(actor.id, turn, index);
      if (done?.has(call)) continue;
      const result = resultOf(blocks, toolUse);
      const failed = actor.isStopped ? "stopped" : open.has(call) ? "error" : "invalid";
      if (!open.has(call)) begin({ actor: actor.id, call, toolUse, tool, turn, input, title: tool });
      end(call, { outcome: result.isError ? failed : "ok", ...endOutput(result) });
    }
    ended.delete(actor.id);
    for (const { role, content } of messages) {
      if (role === "system" || (role === "assistant" && said.get(actor.id) === turn)) continue;
      const of = role === "assistant" ? { model: actor.spec.model, usage } : {};
      onEvent({ type: "message", actor: actor.id, turn, role, content, ...of });
    }
    said.delete(actor.id);
  };

  const joints: Joints = {
    prepareCall({ actor, id, running }) {
      beginCall(actor, { id, ...running }, running);
      return {};
    },
    afterCall({ id, isError, result, refusal }) {
      if (refusal !== undefined) end(id, { outcome: "denied", reason: refusal, ...headOf("") });
      else
        end(id, { outcome: isError ? "error" : "ok", ...(result === null ? headOf("") : endOutput(result)) });
      return {};
    },
    onEvent(event) {
      switch (event.type) {
        case "refused":
          beginCall(event.actor, event.call, event);
          return end(event.call.id, { outcome: "denied", reason: event.reason, ...headOf("") });
        case "reply": {
          const { actor, reply } = event;
          said.set(actor.id, reply.turn);
          onEvent({
            ...{ type: "message", actor: actor.id, turn: reply.turn, role: "assistant" },
            ...{ content: reply.content, model: actor.spec.model, usage: reply.usage },
          });
          return;
        }
        case "queued": {
          const { actor, id, text } = event;
          queued.set(id, { actor: actor.id, text });
          return onEvent({ type: "queued", actor: actor.id, id, text, state: "waits" });
        }
        case "withdrawn":
          return dequeue(event.id, "withdrawn");
        case "turn":
          for (const id of event.turn.heard.flatMap(({ of = [] }) => of)) dequeue(id, "read");
          return finishTurn(event.actor, event.turn);
        case "released":
          for (const { of } of [...open.values()])
            if (of.actor === event.id) end(of.call, { outcome: "stopped", ...headOf("") });
          ended.delete(event.id);
          said.delete(event.id);
          return;
        case "changed":
        case "replayed":
        case "resumed":
        case "idle":
          return;
        default:
          return event satisfies never;
      }
    },
  };

  return {
    joints,
    onLines(id, lines) {
      const call = open.get(id);
      if (call === undefined || lines.length === 0) return;
      call.tail = [...call.tail, ...lines].slice(-TAIL_LINES);
      call.lines += lines.length;
      call.withdraw ??= clock.after(PROGRESS_MS, () => {
        call.withdraw = null;
        onEvent({ type: "call-progress", ...call.of, tail: call.tail.join("\n"), lines: call.lines });
      });
    },
  };
}

function resultOf(
  blocks: readonly ContentBlockParam[],
  toolUse: string,
): Pick<ToolEnd, "content" | "isError"> {
  const found = blocks.find((block) => block.type === "tool_result" && block.tool_use_id === toolUse);
  if (found?.type !== "tool_result") return { content: "", isError: true };
  return {
    content: typeof found.content === "string" ? found.content : [...(found.content ?? [])],
    isError: found.is_error === true,
  };
}
