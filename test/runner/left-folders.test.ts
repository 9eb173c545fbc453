// @module-tag long
import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { expect, it } from "vitest";
import { engineRunners } from "../../src/features/runners/engine-runners.ts";
import { makeTemporaryFolder } from "../../src/journal/temporary-folder.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { supervised } from "../support/supervised.ts";
import { openGround } from "./ground.ts";

it.each([
  ["runner", () => openGround(() => ({ text: "done" }))],
  [
    "session with runners",
    () => {
      const parts = { env: {}, home: "/nowhere", clock: systemClock, onLine: () => {} };
      supervised("worker threads", () => ({ text: "done" }), {
        runners: engineRunners({ engine: "redis://localhost:1" }, parts),
      });
    },
  ],
])("a %s that starts removes the temporary directories of a killed one", async (_, start) => {
  const dead = spawnSync(process.execPath, ["-e", ""]).pid;
  const own = makeTemporaryFolder("agent");
  const left = own.replace(`-${process.pid}-`, `-${dead}-`);
  renameSync(own, left);
  await start();
  await expect.poll(() => existsSync(left)).toBe(false);
});
