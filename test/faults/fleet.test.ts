// @module-tag long
import { describe, expect, it } from "vitest";
import { whyNoPostgres, whyNoRedis } from "../support/engine-servers.ts";
import { unless } from "../support/needs.ts";
import { runFleet } from "./fleet/loop.ts";

// 300 agents for ten minutes are for `npm run test:chaos`.
describe.each([
  { engine: "redis", why: whyNoRedis },
  { engine: "postgres", why: whyNoPostgres },
] as const)("agents on runners over $engine", ({ engine, why }) => {
  describe("", unless(why), () => {
    it("end once each while runners, server, session and connections are killed: no edit lost, no effect twice, nothing left (issue 22)", {
      timeout: 600_000,
    }, async () => {
      const { faults, figures, folder } = await runFleet({
        ...{ engine, seed: 5, agents: 9, steps: 3, runners: 2, slots: 6, seconds: 40, patience: 300 },
        ...{ pause: [4_000, 8_000], onLine: () => {} },
      });
      expect(faults, `see ${folder}`).toEqual([]);
      expect(figures.strikes).not.toEqual({});
    });
  });
});
