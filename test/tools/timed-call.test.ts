import { expect, test } from "vitest";
import { runTimed } from "../../src/tools/tool-module.ts";

/** A clock whose one timer is fired by the test. */
function oneTimer() {
  const timers = new Set<() => void>();
  const clock = {
    after(_ms: number, call: () => void) {
      timers.add(call);
      return () => timers.delete(call);
    },
  };
  return { clock, timers };
}

const fine = { content: "fine", isError: false };

test("a call that returns leaves no timer and no listener", async () => {
  const { clock, timers } = oneTimer();
  const { signal } = new AbortController();
  expect(await runTimed("T", 1_000, { clock, signal }, async () => fine)).toBe(fine);
  expect(timers.size).toBe(0);
});

test("the deadline of a cancelled call is withdrawn, and its signal is aborted with the agent's reason", async () => {
  const { clock, timers } = oneTimer();
  const cancel = new AbortController();
  const result = runTimed("T", 1_000, { clock, signal: cancel.signal }, async (signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { content: String(signal.reason), isError: true };
  });
  expect(timers.size).toBe(1);
  cancel.abort("enough");
  expect(timers.size).toBe(0);
  // What a tool still says when it is stopped is kept.
  expect(await result).toEqual({ content: "enough", isError: true });
});

test("ignores an error after the deadline", async () => {
  const { clock, timers } = oneTimer();
  const { signal } = new AbortController();
  const { promise, reject } = Promise.withResolvers<typeof fine>();
  const result = runTimed("T", 1_500, { clock, signal }, () => promise);
  for (const fire of timers) fire();
  expect(await result).toMatchObject({
    isError: true,
    overdue: true,
    content: expect.stringContaining("1.5 s"),
  });
  reject(new Error("too late"));
});
