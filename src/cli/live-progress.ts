import type { Clock } from "../lib/clock.ts";
import { createCanvas } from "../terminal/canvas/canvas.ts";
import { CLOCK_MS, createFrames, TREE_MS } from "../terminal/canvas/frames.ts";
import type { Paint } from "../terminal/colour.ts";
import type { Outlet } from "../terminal/output-stream.ts";
import { safeLine } from "../terminal/safe-text.ts";
import { createLiveView } from "./live-tree.ts";
import type { Progress } from "./plain-progress.ts";
import { pauseLine } from "./waits.ts";

/** The live tree on a terminal, with the countdown of a retry below it. */
export function createLiveProgress(outlet: Outlet, clock: Clock, paint: Paint): Progress {
  const canvas = createCanvas(outlet);
  const live = createLiveView(() => clock.now(), { wholeSession: true });
  let stopped = false;

  const frame = (): string[] => {
    const { columns, rows } = outlet.size();
    // One column less: a character in the last one leaves some terminals in a half-broken line.
    return live.lines(clock.now(), { columns: Math.max(1, columns - 1), rows: rows - 1, paint });
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
      live.onEvent(event);
      switch (event.type) {
        case "agent":
        case "waiting":
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
      show(live.busy() ? [...frame(), ""] : [], []);
    },
  };
}
