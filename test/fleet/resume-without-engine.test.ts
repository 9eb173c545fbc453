// @module-tag long

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { latestSession } from "../../src/journal/sessions.ts";
import { troupe } from "../support/cli-process.ts";
import { startRedis, whyNoRedis } from "../support/engine-servers.ts";
import { gate, openFleet } from "../support/fleet-processes.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { effectsOf, ownServer, PATIENT, threeEffects } from "./fleet-scripts.ts";

describe("a session that is left while its agents are on runners", {
  ...unless(whyNoRedis),
  ...PATIENT,
}, () => {
  it.each(["SIGINT", "SIGKILL"] as const)(
    "by %s is not resumed without its engine, and then is with it",
    async (signal) => {
      const { url } = await ownServer(startRedis());
      const [reached, left] = [gate(), gate()];
      const fleet = await openFleet(
        url,
        threeEffects(async (_, turn) => {
          if (turn !== 1) return;
          reached.pass();
          await left.passed;
        }),
      );
      await fleet.startRunner("r1");
      const home = temporaryFolder();
      const first = fleet.startSession(["anna"], [], home);
      const child = await first.child;
      await reached.passed;
      child.kill(signal);
      const { err } = await first.ended;
      left.pass();
      const { session } = await latestSession(`${home}/.troupe`, fleet.cwd);
      if (session === null) throw new Error("There is no session.");
      const { id, folder } = session;
      if (signal === "SIGINT") expect(err).toContain(`troupe --resume ${id} --engine ${url} resumes it.`);
      const journal = () => readFileSync(`${folder}/journal.jsonl`, "utf8");
      const before = journal();
      const refused = await troupe(["-p", "--resume", id], { url: fleet.model.url, cwd: fleet.cwd, home });
      expect(refused).toMatchObject({
        code: 2,
        err: "troupe: Agents of this session are on runners of pool default: resume it with --engine URL.\n",
      });
      expect(journal()).toBe(before);
      const resumed = await fleet.startSession([], ["--resume", id], home).ended;
      expect({ code: resumed.code, err: resumed.err }).toMatchObject({ code: 0 });
      expect([...new Set(fleet.effects())].sort()).toEqual(effectsOf("anna"));
    },
  );
});
