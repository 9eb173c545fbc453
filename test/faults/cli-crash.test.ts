import { expect, test } from "vitest";
import { cliCrashLoop } from "./cli-crash/loop.ts";

// 200 kills are for `npm run test:crash -- --kills 200`.
test("eight editing agents and a user beside them, the program killed with SIGKILL and resumed: no edit lost, none twice, nothing left (D1, issue 15, 28)", {
  timeout: 240_000,
}, async () => {
  const { faults, kills, folder } = await cliCrashLoop({ seed: 8, kills: 2, steps: 0 });
  expect(faults, `see ${folder}`).toEqual([]);
  expect(kills).toBeGreaterThan(0);
});
