import { parentPort } from "node:worker_threads";
import { serveCalls } from "../../src/actors/serve-calls.ts";

/**
 * A thread that does what the input of a call says ("misbehave: …"), for tests of what a thread can do to others.
 * Anything else makes it an ordinary call.
 */
function misbehave(told: (word: string) => boolean): Promise<never> | undefined {
  if (told("throw now")) throwNow();
  // Once the call has ended, as a timer that it has left would.
  if (told("throw late")) setImmediate(throwNow);
  if (told("exit")) process.exit(3);
  if (told("reject")) void Promise.reject(new Error("nobody caught this"));
  if (told("eat memory")) eatMemory();
  if (told("spin")) for (;;);
  if (told("backtrack")) /^(a+)+$/.test(`${"a".repeat(64)}!`);
  if (told("sleep")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (told("microtasks")) return forEver();
  if (told("keep busy")) keepBusy();
  return told("throw late") || told("reject") || told("never settle") || told("keep busy")
    ? new Promise(() => {})
    : undefined;
}

function throwNow(): never {
  throw new TypeError("the tool's code is broken");
}

/** Promises only: the loop never turns, though nothing is blocked. */
async function forEver(): Promise<never> {
  for (;;) await null;
}

/** Busy all the time, and yet the loop turns: no cause for alarm. */
function keepBusy(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
  setImmediate(keepBusy);
}

function eatMemory(): never {
  // Small pieces in a chain: one huge array would abort the whole process, which no limit prevents.
  let eaten: unknown = null;
  for (let piece = 0; ; piece += 1) eaten = { before: eaten, bytes: Array.from({ length: 64 }, () => piece) };
}

if (parentPort)
  serveCalls(parentPort, (run) => async (call, signal) => {
    const input = JSON.stringify(call.input);
    await misbehave((word) => input.includes(`misbehave: ${word}`));
    return run(call, signal);
  });
