// @module-tag long
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { fakeMachine } from "../support/fake-ssh.ts";
import { gate, openFleet } from "../support/fleet-processes.ts";
import { effectsOf, meeting, PATIENT, threeEffects, until } from "./fleet-scripts.ts";

/** A fan-out on a machine that is reached through ssh. Resolves when both agents are in their third turn. */
async function startFanOut() {
  const { dir, env } = fakeMachine();
  const passed = gate();
  const { met, arrive } = meeting(2);
  const fleet = await openFleet(
    "ssh://far",
    threeEffects(async (_, turn) => {
      if (turn !== 2) return;
      arrive();
      await passed.passed;
    }),
  );
  let said = "";
  let child: ChildProcess | undefined;
  const flags = ["--agent", "general-purpose", "--allowed-tools", "Bash", "--permission-mode", "acceptEdits"];
  const ending = troupe(
    ["fanout", "You are anna.", "You are ben.", "--runners", "--engine", fleet.engine, ...flags],
    {
      ...{ url: fleet.model.url, cwd: fleet.cwd, env: { PATH: env.PATH } },
      onStart(started) {
        child = started;
        started.stderr?.on("data", (text: Buffer) => {
          said += text.toString();
        });
      },
    },
  );
  await Promise.race([met, ending]);
  const pid = join(dir, "pid");
  if (!existsSync(pid)) throw new Error((await ending).err);
  return {
    ...{ dir, fleet, ending, said: () => said, pass: passed.pass },
    interrupt: () => child?.kill("SIGINT"),
    killRunner: () => process.kill(Number(readFileSync(pid, "utf8")), "SIGKILL"),
  };
}

describe("a session whose runner is reached through ssh", PATIENT, () => {
  it("starts ssh again when it was killed, and each agent ends once, as its second attempt", async () => {
    const { fleet, ending, killRunner, pass } = await startFanOut();
    killRunner();
    pass();
    const { err, out, code } = await ending;
    expect(err).toContain(
      "The connection to far was lost (ssh ended with exit code 137). It is started again.",
    );
    expect(err.match(/was lost; a runner continues it/g)).toHaveLength(2);
    expect(fleet.effects().sort()).toEqual(effectsOf("anna", "ben"));
    expect(out.match(/anna is done/g)).toHaveLength(1);
    expect(out.match(/ben is done/g)).toHaveLength(1);
    expect(code).toBe(0);
  });

  it("closes immediately while ssh cannot be started again", async () => {
    const { dir, ending, said, killRunner, interrupt, pass } = await startFanOut();
    writeFileSync(join(dir, "bin", "ssh"), "#!/bin/sh\necho refused >&2; exit 255\n");
    killRunner();
    pass();
    await until(() => said().includes("far: refused"));
    const from = performance.now();
    interrupt();
    await ending;
    expect(performance.now() - from).toBeLessThan(8_000);
    expect(said()).not.toContain("did not close");
  });
});
