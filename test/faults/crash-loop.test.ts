import { expect, test } from "vitest";
import { isLong } from "../support/long.ts";
import { crashLoop } from "./crash-loop.ts";

// 200 kills are for `npm run test:soak -- --crash 200`.
test.each(isLong ? [3, 14] : [3])(
  "eight agents, killed with SIGKILL again and again and resumed: every result once, no effect twice (D1, seed %i)",
  { tags: ["long"], timeout: 120_000 },
  async (seed) => {
    const { faults, kills, folder } = await crashLoop({ seed, kills: 6, steps: 2 });
    expect(faults, `see ${folder}`).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(4);
  },
);
