import type { Clock } from "../mailbox/clock.ts";
import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { AgentView } from "../supervisor/view.ts";
import { agentFigures, agentName, doing, stateMark } from "./agent-text.ts";
import type { Paint } from "./colour.ts";
import type { Outlet } from "./output-stream.ts";
import type { Progress } from "./progress.ts";
import { safeLine } from "./safe-text.ts";
import { createWaits, waitLine } from "./waits.ts";

/** One line when an agent starts, one when it ends, one per wait and per file it shares: for logs and dumb terminals. */
export function createPlainProgress(outlet: Outlet, clock: Clock, paint: Paint): Progress {
  const told = new Map<ActorId, "started" | "ended">();
  const shared = new Map<ActorId, string>();
  const waits = createWaits();
  let stopped = false;

  const say = (line: string): void => {
    // Progress that cannot be shown must not stop the work; the results' own writes report a full disk.
    outlet.write(`${line}\n`).catch(() => {});
  };
  const onView = (view: AgentView): void => {
    if (view.state === "ended" || view.activity.type === "tool") waits.end(view.id);
    // The main conversation's end is the result itself.
    if (view.id === MAIN || view.state === "queued" || told.get(view.id) === "ended") return;
    const name = agentName(view);
    if (view.state === "ended") {
      told.set(view.id, "ended");
      const now = clock.now();
      say(`${stateMark(view, paint)} ${name}  ${agentFigures(view, now)}  ${doing(view, now)}`);
    } else if (!told.has(view.id)) {
      told.set(view.id, "started");
      say(`${stateMark(view, paint)} ${name}  started`);
    }
    if (view.overlap === null || view.state === "ended" || shared.get(view.id) === view.overlap) return;
    shared.set(view.id, view.overlap);
    say(`${stateMark(view, paint)} ${name}  ${paint("dim", safeLine(view.overlap))}`);
  };

  return {
    onEvent(event) {
      if (stopped) return;
      switch (event.type) {
        case "agent":
          return onView(event.view);
        case "waiting":
          if (waits.add(event, clock.now())) say(waitLine(event.reason, event.ms, event.attempt));
          return;
        case "warning":
          return say(paint("yellow", safeLine(event.message)));
        // What a woken conversation says is told with its result.
        case "woken":
        case "answered":
        case "text":
          return;
        default:
          return event satisfies never;
      }
    },
    note: (line) => say(safeLine(line)),
    stop() {
      stopped = true;
    },
  };
}
