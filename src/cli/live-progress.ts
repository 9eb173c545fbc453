import type { AgentView } from "../events/event.ts";
import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { createCanvas } from "../terminal/canvas/canvas.ts";
import { CLOCK_MS, createFrames, TREE_MS } from "../terminal/canvas/frames.ts";
import { cutToWidth } from "../terminal/display-width.ts";
import type { Outlet, Paint } from "../terminal/output-stream.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { renderTree } from "./live-tree.ts";
import type { Progress } from "./plain-progress.ts";
import { createWaits, pauseLine } from "./waits.ts";

/** The live tree on a terminal, with the countdown of a retry below it. */
export function createLiveProgress(outlet: Outlet, clock: Clock, paint: Paint): Progress {
  const canvas = createCanvas(outlet);
  const views = new Map<ActorId, AgentView>();
  const waits = createWaits();
  let stopped = false;

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
  /** The cursor is below what is painted: other output may follow. */
  const show = (stay: readonly string[], painted: readonly string[]): void =>
    canvas.show(stay, [...painted, ""], { row: painted.length, column: 0 });
  const frames = createFrames(clock, TREE_MS, () => {
    show([], frame());
    return CLOCK_MS;
  });
  const print = (line: string): void => show([line], stopped ? [] : frame());
  const forgetResize = outlet.onResize(frames.resized);

  return {
    onEvent(event) {
      if (stopped) return;
      switch (event.type) {
        case "agent":
          views.set(event.view.id, event.view);
          if (event.view.state === "ended" || event.view.activity.type === "tool") waits.end(event.view.id);
          return frames.soon();
        case "waiting":
          waits.add(event, clock.now());
          return frames.soon();
        case "paused":
          return print(paint("yellow", pauseLine(event, clock)));
        case "warning":
          return print(paint("yellow", safeLine(event.message)));
        default:
          // What a woken conversation says comes with its result.
          return;
      }
    },
    note: (line) => print(safeLine(line)),
    stop() {
      if (stopped) return;
      stopped = true;
      forgetResize();
      frames.stop();
      // The results follow on the same terminal.
      show(views.size > 0 ? [...frame(), ""] : [], []);
    },
  };
}
