import { expect, test } from "vitest";
import type { Clock } from "../../src/lib/clock.ts";
import { createFrames } from "../../src/terminal/canvas/frames.ts";

test("a frame that is due is planned for now, however long that takes to say", () => {
  let now = 0;
  const waits: number[] = [];
  const clock: Clock = {
    date: () => "",
    // Time passes between two looks at it.
    now() {
      now += 0.01;
      return now;
    },
    after(ms) {
      waits.push(ms);
      return () => {};
    },
  };
  const frames = createFrames(clock, 80, () => null);
  frames.now();
  now += 500;
  frames.soon();
  frames.resized();
  expect(waits).toHaveLength(2);
  for (const ms of waits) expect(ms).toBeGreaterThanOrEqual(0);
});
