import { expect, test } from "vitest";
import { WorkTime } from "../../../src/features/budget/work-time.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("deadlines stand still while a model is paused, however pauses overlap", async () => {
  const clock = new FakeClock();
  const time = new WorkTime(clock);
  const at = async (ms: number) => {
    await clock.advance(ms - clock.now());
    return time.now();
  };
  expect(await at(1_000)).toBe(1_000);
  time.stop(5_000);
  expect(await at(2_000)).toBe(1_000);
  // A second model, for longer.
  time.stop(8_000);
  expect(await at(9_000)).toBe(1_000);
  expect(await at(12_000)).toBe(3_000);
  time.stop(60_000);
  expect(await at(13_000)).toBe(3_000);
  time.go();
  time.go();
  expect(await at(20_000)).toBe(10_000);
});
