import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { NEVER, poolOf, readCall, readIn, taken } from "./pool-threads.ts";

/** Counts the threads that are started from now on. */
async function bootedThreads(): Promise<() => Promise<number>> {
  let booted = 0;
  const note = () => {
    booted += 1;
  };
  // Node tells of a thread a moment after it was started.
  await setImmediate();
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  return async () => {
    await setImmediate();
    return booted;
  };
}

/** A clock whose short timers fire when the test says so. */
function heldClock() {
  const due: Array<() => void> = [];
  const after = (ms: number, call: () => void) => {
    if (ms > 100) return systemClock.after(ms, call);
    due.push(call);
    return () => void due.splice(due.indexOf(call), 1);
  };
  return { clock: { ...systemClock, after }, fire: () => due.shift()?.() };
}

test("ten holders pass through two threads, in order, and the threads keep no listener of any of them", async () => {
  const booted = await bootedThreads();
  // On a busy machine the two may look blocked, and a third would be started.
  const pool = poolOf({ clock: heldClock().clock });
  const order: number[] = [];
  const counts = new Map<Worker, string>();
  await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const thread = await taken(pool);
      order.push(n);
      expect(await readIn(thread)).toContain("alpha");
      const { worker } = thread;
      const now = JSON.stringify(worker.eventNames().map((name) => worker.listenerCount(name)));
      expect(counts.get(worker) ?? now).toBe(now);
      counts.set(worker, now);
      pool.give(thread);
    }),
  );
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await booted()).toBe(2);
  expect(pool.load).toEqual({ threads: 0, waiting: 0 });
});

test("one that waits can leave, and a pool that closes sends all away and starts no more threads", async () => {
  const pool = poolOf({ usualThreads: 1 });
  await taken(pool);
  const leaving = new AbortController();
  const left = pool.take(leaving.signal);
  const waits = pool.take(NEVER);
  expect(pool.load).toEqual({ threads: 1, waiting: 2 });
  leaving.abort();
  expect(await left).toBeNull();
  const booted = await bootedThreads();
  await pool.close();
  expect(await waits).toBeNull();
  expect(await pool.take(NEVER)).toBeNull();
  pool.warm();
  expect(await booted()).toBe(0);
});

test("a thread that ends is replaced for those who wait, and a spent one takes no other call", async () => {
  const pool = poolOf({ usualThreads: 1 });
  const first = await taken(pool);
  const next = taken(pool);
  void first.requests.call("call", readCall("misbehave: exit"));
  const second = await next;
  expect(second).not.toBe(first);
  expect(await first.ended).toEqual({ type: "died", message: "Worker exited with code 3" });
  pool.give(second, true);
  const third = await taken(pool);
  expect(third).not.toBe(second);
  expect(await readIn(third)).toContain("alpha");
});

test("threads that are all blocked make room for one more at a time, up to the most, of which the user is notified once", async () => {
  const { clock, fire } = heldClock();
  const faults: string[] = [];
  const pool = poolOf({ usualThreads: 1, mostThreads: 3, clock, onFault: (fault) => faults.push(fault) });
  const blocked = await taken(pool);
  await readIn(blocked);
  void blocked.requests.call("call", readCall("misbehave: sleep"));
  const [second, third, fourth] = [taken(pool), taken(pool), pool.take(NEVER)];
  fire();
  await readIn(await second);
  expect(pool.load).toEqual({ threads: 2, waiting: 2 });
  fire();
  await readIn(await third);
  fire();
  expect(pool.load).toEqual({ threads: 3, waiting: 1 });
  expect(faults).toEqual([
    "All 3 threads for tools are busy with calls that do not end; further calls wait for one of them.",
  ]);
  pool.give(await second);
  expect(await fourth).toBe(await second);
});

test("a thread that is still starting does not count as blocked: no other one is started next to it", async () => {
  const { clock, fire } = heldClock();
  const booted = await bootedThreads();
  const pool = poolOf({ usualThreads: 1, clock });
  const first = await taken(pool);
  const second = taken(pool);
  fire();
  expect(await booted()).toBe(1);
  pool.give(first);
  expect(await second).toBe(first);
});

test("a thread that is given back before the others count as blocked starts none", async () => {
  const { clock, fire } = heldClock();
  const booted = await bootedThreads();
  const pool = poolOf({ usualThreads: 1, clock });
  const first = await taken(pool);
  const second = taken(pool);
  pool.give(first);
  expect(await second).toBe(first);
  fire();
  expect(await booted()).toBe(1);
});
