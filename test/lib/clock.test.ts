import { expect, test } from "vitest";
import { within } from "../../src/lib/clock.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";

test("within tells whether work settled in time, also when it failed, and leaves no timer", async () => {
  const clock = new FakeClock();
  expect(await within(clock, 100, Promise.resolve("done"))).toBe(true);
  expect(await within(clock, 100, Promise.reject(new Error("failed")))).toBe(true);
  const never = within(clock, 100, new Promise(() => {}));
  await clock.advance(100);
  await settled();
  expect(await never).toBe(false);
  expect(clock.pending).toBe(0);
});
