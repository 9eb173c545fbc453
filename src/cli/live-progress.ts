import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { AgentView } from "../supervisor/view.ts";
import type { Paint } from "./colour.ts";
import { cutToWidth } from "./display-width.ts";
import { renderTree } from "./live-tree.ts";
import type { Outlet } from "./output-stream.ts";
import { createPainter } from "./painter.ts";
import type { Progress } from "./progress.ts";
import { safeLine } from "./safe-text.ts";
import { createWaits } from "./waits.ts";

/** At most ten frames a second while something happens, one while only time passes. */
const BUSY_MS = 100;
const IDLE_MS = 1000;

/** The live tree on a terminal, with the countdown of a retry below it. */
export function createLiveProgress(outlet: Outlet, clock: Clock, paint: Paint): Progress {
  const painter = createPainter(outlet);
  const views = new Map<ActorId, AgentView>();
  const waits = createWaits();
  let stopped = false;
  let paintedAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let withdraw = () => {};

  const frame = (): string[] => {
    const { columns, rows } = outlet.size();
    const now = clock.now();
    // One column less: a character in the last one leaves some terminals in a half-broken line.
    const width = Math.max(1, columns - 1);
    const countdown = waits.line(now);
    const forTree = Math.max(1, rows - 2);
    const tree = renderTree([...views.values()], now, { columns: width, rows: forTree, paint });
    return countdown === undefined ? tree : [...tree, paint("yellow", cutToWidth(countdown, width))];
  };
  const show = (): void => {
    withdraw();
    paintedAt = clock.now();
    dueAt = Number.POSITIVE_INFINITY;
    painter.paint(frame());
    plan(IDLE_MS);
  };
  const plan = (afterLast: number): void => {
    const at = paintedAt + afterLast;
    if (stopped || at >= dueAt) return;
    withdraw();
    dueAt = at;
    withdraw = clock.after(Math.max(0, at - clock.now()), show);
  };
  const forgetResize = outlet.onResize(() => plan(BUSY_MS));

  return {
    onEvent(event) {
      if (stopped) return;
      switch (event.type) {
        case "agent":
          views.set(event.view.id, event.view);
          if (event.view.state === "ended" || event.view.activity.type === "tool") waits.end(event.view.id);
          return plan(BUSY_MS);
        case "waiting":
          waits.add(event, clock.now());
          return plan(BUSY_MS);
        case "warning":
          return painter.print(paint("yellow", safeLine(event.message)));
        // What a woken conversation says is told with its result.
        case "woken":
        case "answered":
        case "text":
          return;
        default:
          return event satisfies never;
      }
    },
    note: (line) => painter.print(safeLine(line)),
    stop() {
      if (stopped) return;
      stopped = true;
      withdraw();
      forgetResize();
      painter.paint(frame());
      painter.keep();
      // The results follow on the same terminal.
      if (views.size > 0) painter.print("");
    },
  };
}
