import { mkdirSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { lockHolder, takeLock } from "../../src/journal/numbered-lock.ts";
import { isAlive } from "../../src/journal/process-identity.ts";
import { withLock } from "../../src/worktrees/lock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { groundOf } from "../support/worktree-ground.ts";

const ground = groundOf({ env: {} });
/** No process of this number and start can be alive. */
const DEAD = { pid: 1, startedAt: "another boot 1" };
const dead = groundOf({ env: {} }, { self: DEAD });
const never = () => new Promise<never>(() => {});

test("one at a time, in any order of many, and nothing is left but the mark that it is free", async () => {
  const common = temporaryFolder();
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise(setImmediate);
    inside -= 1;
    return "done";
  };
  const ends = await Promise.all(Array.from({ length: 20 }, () => withLock(common, ground, work)));
  expect(ends).toEqual(Array(20).fill("done"));
  expect(most).toBe(1);
  expect(lockHolder(`${common}/troupe`, ground.isAlive)).toBeNull();
  expect(readdirSync(`${common}/troupe`)).toHaveLength(1);
});

test("callers of one process wait for their turn for as long as it takes, and one that is aborted leaves the line", async () => {
  const common = temporaryFolder();
  let now = 0;
  // A minute passes with each look at the clock.
  const slow = {
    ...groundOf({ env: {} }),
    now: () => (now += 60_000),
    turns: new Map<string, Promise<void>>(),
  };
  const stopped = new AbortController();
  const done: number[] = [];
  const first = Promise.withResolvers<void>();
  const callers = [0, 1, 2, 3].map((at) =>
    withLock(
      common,
      slow,
      async () => {
        if (at === 0) await first.promise;
        done.push(at);
      },
      at === 1 ? { signal: stopped.signal } : {},
    ),
  );
  stopped.abort(new Error("stopped"));
  await expect(callers[1]).rejects.toThrow("stopped");
  expect(done).toEqual([]);
  first.resolve();
  await Promise.allSettled(callers);
  expect(done).toEqual([0, 2, 3]);
  expect(slow.turns.size).toBe(0);
});

test("C13: the lock of a dead process is taken over by exactly one", { tags: ["long"] }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 2, max: 8 }), async (takers) => {
      const common = temporaryFolder();
      void withLock(common, dead, never);
      while (readdirSync(common).length === 0 || lockHolder(`${common}/troupe`, () => true) === null)
        await new Promise(setImmediate);
      expect(lockHolder(`${common}/troupe`, ground.isAlive)).toBeNull();
      let inside = 0;
      const work = async () => {
        expect(++inside).toBe(1);
        await new Promise(setImmediate);
        inside -= 1;
      };
      await Promise.all(Array.from({ length: takers }, () => withLock(common, ground, work)));
      expect(inside).toBe(0);
    }),
    { numRuns: 10, seed: 1 },
  );
});

test("waits for a living holder, but not forever, and names it", { tags: ["long"] }, async () => {
  const common = temporaryFolder();
  let now = 0;
  const clock = { ...ground, now: () => (now += 1_000) };
  await expect(withLock(common, ground, () => withLock(common, clock, async () => "in"))).rejects.toThrow(
    `held by another process (pid ${process.pid}) for 60 s`,
  );
  expect(isAlive(ground.self)).toBe(true);
});

test("waits on while another process takes the lock again and again, as the git worker of a killed session does that still has work, but not forever", {
  tags: ["long"],
}, async () => {
  // Twenty seconds pass with each look at the clock.
  const rivalFor = (times: number) => {
    const common = temporaryFolder();
    const folder = `${common}/troupe`;
    mkdirSync(folder);
    const take = () => {
      const lock = takeLock(folder, { pid: 4_000_000, startedAt: "a rival" }, () => false);
      if (lock.type !== "taken") throw new Error("The rival did not get the lock.");
      return lock;
    };
    let rival = take();
    let [now, taken] = [0, 0];
    const slow = {
      ...ground,
      now: () => (now += 20_000),
      isAlive: () => {
        rival.release();
        if (taken++ < times) rival = take();
        return true;
      },
    };
    return withLock(common, slow, async () => "in");
  };
  expect(await rivalFor(5)).toBe("in");
  await expect(rivalFor(1_000)).rejects.toThrow("held by another process (pid 4000000)");
});

test("work that throws gives the lock back, and so does one who no longer waits", async () => {
  const common = temporaryFolder();
  await expect(withLock(common, ground, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const abort = new AbortController();
  await withLock(common, ground, async () => {
    const waiting = withLock(common, ground, async () => "in", { signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
  expect(await withLock(common, ground, async () => "in")).toBe("in");
});
