import { expect, test } from "vitest";
import { isLong } from "../support/long.ts";
import { cliCrashLoop } from "./cli-crash/loop.ts";

// 200 kills are for `npm run test:crash -- --kills 200`. An odd seed commits what it merges.
test.each(isLong ? [8, 3, 14] : [8])(
  "eight editing agents and a user who edits too, the program killed with SIGKILL and resumed: no edit lost, none twice, nothing left (D1, issue 15, 28; seed %i)",
  { tags: ["long"], timeout: 400_000 },
  async (seed) => {
    const { faults, kills, folder } = await cliCrashLoop({
      seed,
      ...(isLong ? { kills: 8, steps: 2 } : { kills: 2, steps: 0 }),
    });
    expect(faults, `see ${folder}`).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  },
);
