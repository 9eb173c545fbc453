import type { SupervisorEvent } from "../../events/event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CallId } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { viewOf } from "./actor-view.ts";
import { CallReports, endOutput, headOf } from "./call-reports.ts";

export interface EventParts {
  readonly clock: Pick<Clock, "now" | "after">;
  readonly onEvent: (event: SupervisorEvent) => void;
}

export interface SessionEvents {
  readonly joints: Joints;
  /** Takes lines that the command of a call has printed. */
  onLines(call: CallId, lines: readonly string[]): void;
}

/**
 * Reports calls and messages to the session's listener. What the journal alone says is reported as it is written
 * (`record-events.ts`). Joints: `prepareCall` (a begin), `afterCall` (an end), `onEvent` (changes of agents, what was
 * refused, queued lines, replies, turns, ends of runs).
 */
export function eventsFeature({ clock, onEvent }: EventParts): SessionEvents {
  const calls = new CallReports(clock, onEvent);
  /** Lines of the user that no recorded turn has read, by their IDs. */
  const queued = new Map<string, Pick<Extract<SupervisorEvent, { type: "queued" }>, "actor" | "text">>();
  const dequeue = (id: string, state: "read" | "withdrawn"): void => {
    const line = queued.get(id);
    if (line !== undefined && queued.delete(id)) onEvent({ type: "queued", id, ...line, state });
  };
  const callerOf = ({ id, spec: { model }, root, isStopped }: Actor) => ({ id, model, root, isStopped });

  const joints: Joints = {
    prepareCall({ actor, id, running: { toolUse, tool, input, title, description } }) {
      const of = { actor: actor.id, call: id, toolUse, tool, turn: actor.turnsTaken + 1, input, title };
      calls.begin({ ...of, ...(description === undefined ? {} : { description }) });
      return {};
    },
    afterCall({ id, isError, result, refusal }) {
      if (refusal !== undefined) calls.deny(id, refusal);
      else
        calls.end(id, {
          outcome: isError ? "error" : "ok",
          ...(result === null ? headOf("") : endOutput(result)),
        });
      return {};
    },
    onEvent(event) {
      switch (event.type) {
        case "refused": {
          const { actor, call, title, description, reason } = event;
          const { id, toolUse, tool, input } = call;
          const of = { actor: actor.id, call: id, toolUse, tool, turn: actor.turnsTaken + 1, input, title };
          calls.begin({ ...of, ...(description === undefined ? {} : { description }) });
          calls.deny(id, reason);
          return;
        }
        case "reply":
          calls.reply(callerOf(event.actor), event.reply);
          return;
        case "queued": {
          const { actor, id, text } = event;
          queued.set(id, { actor: actor.id, text });
          onEvent({ type: "queued", actor: actor.id, id, text, state: "waits" });
          return;
        }
        case "withdrawn":
          dequeue(event.id, "withdrawn");
          return;
        case "turn":
          for (const id of event.turn.heard.flatMap(({ of = [] }) => of)) dequeue(id, "read");
          calls.turn(callerOf(event.actor), event.turn);
          return;
        case "released":
          calls.release(event.id);
          return;
        case "changed":
          onEvent({ type: "agent", view: viewOf(event.actor) });
          return;
        case "replayed":
        case "resumed":
        case "idle":
          return;
        default:
          return event satisfies never;
      }
    },
  };
  return { joints, onLines: (id, lines) => calls.lines(id, lines) };
}
