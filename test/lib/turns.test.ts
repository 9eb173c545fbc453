import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inTurn, type Queues } from "../../src/lib/queues.ts";

describe("turns, such as those of merges (issue 6, 4)", () => {
  test("merges one at a time into each checkout, in order of arrival, however those before end (D7)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            checkout: fc.constantFrom("a", "b"),
            ends: fc.constantFrom("well", "throws", "leaves"),
          }),
          {
            maxLength: 20,
          },
        ),
        fc.scheduler(),
        async (jobs, scheduler) => {
          const turns: Queues = new Map();
          const running = new Map<string, number>();
          const order = new Map<string, number[]>();
          const all = jobs.map(({ checkout, ends }, place) =>
            inTurn(turns, checkout, async (leave) => {
              const now = (running.get(checkout) ?? 0) + 1;
              running.set(checkout, now);
              expect(now).toBe(1);
              order.set(checkout, [...(order.get(checkout) ?? []), place]);
              await scheduler.schedule(Promise.resolve());
              running.set(checkout, 0);
              if (ends === "throws") throw new Error("it failed");
              if (ends !== "leaves") return;
              leave();
              await scheduler.schedule(Promise.resolve());
            }).catch(() => {}),
          );
          await scheduler.waitFor(Promise.all(all));
          for (const [checkout, places] of order) {
            const arrived = jobs.flatMap((job, place) => (job.checkout === checkout ? [place] : []));
            expect(places).toEqual(arrived);
          }
        },
      ),
      { numRuns: 100, seed: 6 },
    );
  });

  test("does nothing for one that is stopped before its turn, and continues with the next", async () => {
    const turns: Queues = new Map();
    const first = Promise.withResolvers<void>();
    const stop = new AbortController();
    const did: string[] = [];
    const one = inTurn(turns, "a", () => first.promise);
    const two = inTurn(turns, "a", async () => void did.push("two"), stop.signal);
    const three = inTurn(turns, "a", async () => void did.push("three"));
    stop.abort(new Error("Enough."));
    first.resolve();
    await expect(two).rejects.toThrow("Enough.");
    await Promise.all([one, three]);
    expect(did).toEqual(["three"]);
  });
});
