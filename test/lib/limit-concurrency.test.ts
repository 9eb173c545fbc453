import fc from "fast-check";
import { expect, test } from "vitest";
import { limitConcurrency } from "../../src/lib/queues.ts";

test("never more in parallel than are allowed, in the order of the calls, whatever fails or is aborted", async () => {
  const piece = fc.record({ fails: fc.boolean(), aborted: fc.boolean(), steps: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(piece, { maxLength: 20 }),
      async (most, all) => {
        const limit = limitConcurrency(most);
        const begun: number[] = [];
        let running = 0;
        const ends = all.map(({ fails, aborted, steps }, at) =>
          limit(
            async () => {
              begun.push(at);
              running += 1;
              expect(running).toBeLessThanOrEqual(most);
              for (let step = 0; step < steps; step += 1) await null;
              running -= 1;
              if (fails) throw new Error("failed");
              return at;
            },
            aborted ? AbortSignal.abort(new Error("aborted")) : undefined,
          ),
        );
        const settled = await Promise.allSettled(ends);
        const said = settled.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)));
        expect(said).toEqual(
          all.map(({ fails, aborted }, at) => (aborted ? "Error: aborted" : fails ? "Error: failed" : at)),
        );
        expect(begun).toEqual(all.flatMap(({ aborted }, at) => (aborted ? [] : at)));
        expect(await limit(async () => "free")).toBe("free");
      },
    ),
    { seed: 1 },
  );
});
