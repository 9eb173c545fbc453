import type { AgentView, SupervisorEvent } from "../events/event.ts";
import type { Clock } from "../lib/clock.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { Paint } from "../terminal/colour.ts";
import type { Outlet } from "../terminal/output-stream.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { agentFigures, agentName, commandEndLine, doing, stateMark } from "./agent-text.ts";
import { createWaits, pauseLine, waitLine } from "./waits.ts";

/** What the user sees on standard error while agents work. */
export interface Progress {
  onEvent(event: SupervisorEvent): void;
  /** Prints a line that stays. */
  note(line: string): void;
  /** Paints nothing more; notes are still printed. Idempotent. */
  stop(): void;
}

/** One line when an agent starts, one when it ends, one per wait and per file it shares: for logs and dumb terminals. */
export function createPlainProgress(outlet: Outlet, clock: Clock, paint: Paint): Progress {
  const shown = new Map<ActorId, "started" | "ended">();
  const shared = new Map<ActorId, string>();
  /** Why agents wait for a runner. */
  const unplaced = new Map<ActorId, string>();
  const waits = createWaits();
  let stopped = false;

  const print = (line: string): void => {
    // Progress that cannot be shown must not stop the work; the results' own writes report a full disk.
    outlet.write(`${line}\n`).catch(() => {});
  };
  /** A hundred agents may wait for the same. */
  const showUnplaced = ({ id, activity }: AgentView): void => {
    const isWaiting = activity.type === "tool" && activity.tool === "runner";
    const reason = isWaiting ? activity.title : null;
    if (reason === (unplaced.get(id) ?? null)) return;
    const isNew = reason !== null && ![...unplaced.values()].includes(reason);
    if (reason === null) unplaced.delete(id);
    else unplaced.set(id, reason);
    if (isNew) print(paint("yellow", safeLine(`An agent ${reason}`)));
  };
  const onView = (view: AgentView): void => {
    if (view.state === "ended" || view.activity.type === "tool") waits.end(view.id);
    // The main conversation's end is the result itself.
    if (view.id === MAIN || view.state === "queued" || shown.get(view.id) === "ended") return;
    const name = agentName(view);
    if (view.state === "ended") {
      shown.set(view.id, "ended");
      unplaced.delete(view.id);
      const now = clock.now();
      print(`${stateMark(view, paint)} ${name}  ${agentFigures(view, now)}  ${doing(view, now)}`);
    } else if (!shown.has(view.id)) {
      shown.set(view.id, "started");
      print(`${stateMark(view, paint)} ${name}  started`);
    }
    showUnplaced(view);
    if (view.overlap === null || view.state === "ended" || shared.get(view.id) === view.overlap) return;
    shared.set(view.id, view.overlap);
    print(`${stateMark(view, paint)} ${name}  ${paint("dim", safeLine(view.overlap))}`);
  };

  return {
    onEvent(event) {
      if (stopped) return;
      switch (event.type) {
        case "agent":
          return onView(event.view);
        case "waiting":
          if (waits.add(event, clock.now())) print(waitLine(event.reason, event.ms, event.attempt));
          return;
        case "paused":
          return print(paint("yellow", pauseLine(event, clock)));
        case "warning":
          return print(paint("yellow", safeLine(event.message)));
        case "command": {
          const line = commandEndLine(event, Number.POSITIVE_INFINITY, paint);
          return line === null ? undefined : print(line);
        }
        default:
          // What a woken conversation says comes with its result.
          return;
      }
    },
    note: (line) => print(safeLine(line)),
    stop() {
      stopped = true;
    },
  };
}
