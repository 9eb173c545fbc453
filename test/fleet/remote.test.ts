// @module-tag long

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startRedis, whyNoRedis } from "../support/engine-servers.ts";
import { gate, openFleet } from "../support/fleet-processes.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { effectsOf, ownServer, PATIENT, threeEffects } from "./fleet-scripts.ts";

function bareRepository(): string {
  const url = temporaryFolder();
  execFileSync("git", ["init", "-q", "--bare", url]);
  return url;
}

function refsIn(url: string): string[] {
  const out = execFileSync("git", ["-C", url, "for-each-ref", "--format=%(refname)"], { encoding: "utf8" });
  return out.split("\n").filter((ref) => ref !== "");
}

/** Settings of a user or of a project. */
function setRemote(dir: string, remote: string): void {
  mkdirSync(join(dir, ".claude"), { recursive: true });
  writeFileSync(join(dir, ".claude", "settings.json"), JSON.stringify({ troupe: { runners: { remote } } }));
}

describe("a real session and a real runner with a remote in their users' settings", {
  ...unless(whyNoRedis),
  ...PATIENT,
}, () => {
  it("use it, and no other one that the project names; what a killed session leaves goes with its resume", async () => {
    const { url } = await ownServer(startRedis());
    const [remote, projects] = [bareRepository(), bareRepository()];
    const [reached, gone] = [gate(), gate()];
    const fleet = await openFleet(
      url,
      threeEffects(async (_, turn) => {
        if (turn !== 1) return;
        reached.pass();
        await gone.passed;
      }),
    );
    setRemote(fleet.cwd, projects);
    const [home, itsHome] = [temporaryFolder(), temporaryFolder()];
    setRemote(home, remote);
    setRemote(itsHome, remote);
    await fleet.startRunner("r1", { home: itsHome });
    const first = fleet.startSession(["anna"], [], home);
    const child = await first.child;
    await reached.passed;
    expect(refsIn(remote)).toEqual([
      expect.stringMatching(/^refs\/troupe\/runners\/\w+\/\w+\/1\/[0-9a-f]{40}$/),
    ]);
    child.kill("SIGKILL");
    await first.ended;
    gone.pass();
    expect(refsIn(remote)).toHaveLength(1);
    const { code, err } = await fleet.startSession([], ["--continue"], home).ended;
    expect({ code, err }).toMatchObject({ code: 0 });
    expect([...new Set(fleet.effects())].sort()).toEqual(effectsOf("anna"));
    expect([refsIn(remote), refsIn(projects)]).toEqual([[], []]);
  });
});
