import type { SupervisorEvent } from "../../events/event.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CallId } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { RunningCall } from "../../supervisor/running-call.ts";
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

type Begun = Pick<RunningCall, "toolUse" | "tool" | "input" | "title" | "description">;

/**
 * Reports calls and messages to the session's listener. What the journal alone says is reported as it is written
 * (`record-events.ts`). Joints: `prepareCall` (a begin), `afterCall` (an end), `onEvent` (changes of agents, what was
 * refused, queued lines, replies, turns, ends of runs).
 */
export function eventsFeature({ clock, onEvent }: EventParts): SessionEvents {
  const calls = new CallReports(clock, onEvent);
  const callerOf = ({ id, spec: { model }, root, isStopped }: Actor) => ({ id, model, root, isStopped });

  const begin = (actor: Actor, call: CallId, of: Begun): void => {
    const { toolUse, tool, input, title, description } = of;
    const begun = { actor: actor.id, call, toolUse, tool, turn: actor.turnsTaken + 1, input, title };
    calls.begin({ ...begun, ...(description === undefined ? {} : { description }) });
  };

  const joints: Joints = {
    prepareCall({ actor, id, running }) {
      begin(actor, id, running);
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
          const { actor, call, reason, ...titles } = event;
          begin(actor, call.id, { ...call, ...titles });
          calls.deny(call.id, reason);
          return;
        }
        case "reply":
          calls.reply(callerOf(event.actor), event.reply);
          return;
        case "queued":
          calls.queue(event.actor.id, event.id, event.text);
          return;
        case "withdrawn":
          calls.dequeue(event.id, "withdrawn");
          return;
        case "turn":
          calls.heard(event.turn.heard);
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
