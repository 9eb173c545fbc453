import { expect, test } from "vitest";
import { cliCrashLoop } from "./cli-crash/loop.ts";

test.each([
  [3, "committed"],
  [14, "applied"],
])(
  "eight editing agents and a user beside them, killed eight times (D1, issue 15, 28; seed %i: edits are %s)",
  { timeout: 400_000 },
  async (seed) => {
    const { faults, kills, folder } = await cliCrashLoop({ seed, kills: 8, steps: 2 });
    expect(faults, `see ${folder}`).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(4);
  },
);
