// @module-tag long

import { randomBytes } from "node:crypto";
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFleetKey } from "../../src/engine/fleet-key.ts";
import { WIRE } from "../../src/engine/limits.ts";
import { BIN, DIST } from "../support/built.ts";
import { startRedis, whyNoRedis } from "../support/engine-servers.ts";
import { effect, gate, openFleet } from "../support/fleet-processes.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  attemptsOf,
  effectsOf,
  expectDone,
  meeting,
  ownServer,
  PATIENT,
  threeEffects,
  until,
} from "./fleet-scripts.ts";

describe("a real runner over a real Redis", { ...unless(whyNoRedis), ...PATIENT }, () => {
  it("runs agents to their end; when it drains, it exits and leaves no process", async () => {
    const { url } = await ownServer(startRedis());
    const fleet = await openFleet(url, threeEffects());
    const runner = await fleet.startRunner("r1");
    const session = fleet.openSession(["anna", "ben"]);
    await expectDone(session.supervisor.prompt("go"));
    expect(fleet.effects().sort()).toEqual(effectsOf("anna", "ben"));
    expect(await runner.drain()).toBe(0);
    await until(() => runner.all().length === 0);
  });

  it("that is killed leaves no process; another one continues its agents, and no effect happens twice", async () => {
    const { url } = await ownServer(startRedis());
    const killed = gate();
    const { met, arrive } = meeting(2);
    const fleet = await openFleet(
      url,
      threeEffects(async (_, turn) => {
        if (turn !== 2) return;
        arrive();
        await killed.passed;
      }),
    );
    const first = await fleet.startRunner("r1");
    const session = fleet.openSession(["anna", "ben"]);
    const ending = session.supervisor.prompt("go");
    await met;
    await first.kill();
    await fleet.startRunner("r2");
    killed.pass();
    await expectDone(ending);
    expect(fleet.effects().sort()).toEqual(effectsOf("anna", "ben"));
    expect(attemptsOf(session).map(({ runner, attempt }) => `${runner} ${attempt}`)).toEqual([
      "r2 2",
      "r2 2",
    ]);
  });

  it("that sleeps past its lease and wakes ends its attempts, and none of their work is accepted", async () => {
    const { url } = await ownServer(startRedis());
    const woken = gate();
    let asked = 0;
    const reached = gate();
    const fleet = await openFleet(
      url,
      threeEffects(async (_, turn) => {
        if (turn !== 2) return;
        asked += 1;
        if (asked > 1) return;
        reached.pass();
        // The reply to the attempt that slept comes when it is awake again.
        await woken.passed;
      }),
    );
    const first = await fleet.startRunner("r1");
    const session = fleet.openSession(["anna"]);
    const ending = session.supervisor.prompt("go");
    await reached.passed;
    first.freeze();
    await fleet.startRunner("r2");
    await expectDone(ending);
    first.thaw();
    woken.pass();
    await until(() => first.output().trimEnd().endsWith("0 of 4 slots, 1 done"));
    expect(fleet.effects()).toEqual(effectsOf("anna"));
    expect(attemptsOf(session)).toMatchObject([{ runner: "r2", attempt: 2 }]);
  });

  it("that dies three times in a row with an agent loses it no other one: it fails and names them, and a neighbour is done", async () => {
    const { url } = await ownServer(startRedis());
    const runners = ["r1", "r2", "r3"];
    let at = 0;
    let seen = -1;
    const fleet = await openFleet(url, async (agent, turn) => {
      if (agent === "poison") {
        const mine = at;
        // Its neighbour has had a turn since the last death.
        await until(() => seen >= mine + 1);
        if (at === mine) void die();
        return new Promise(() => {});
      }
      seen = Math.max(seen, turn);
      await until(() => at >= turn);
      return turn < 3 ? effect(`${agent}-${turn}`) : { text: "done" };
    });
    let current = await fleet.startRunner(runners[0] ?? "");
    const die = async () => {
      at += 1;
      const dying = current;
      current = await fleet.startRunner(`r${at + 1}`);
      await dying.kill();
    };
    const session = fleet.openSession(["poison", "ben"]);
    await expectDone(session.supervisor.prompt("go"));
    expect(fleet.effects()).toEqual(effectsOf("ben"));
    const [neighbour, poison] = attemptsOf(session);
    expect(poison?.status).toBe("failed");
    expect(neighbour?.status).toBe("done");
    const reasons = JSON.stringify(session.model.requests.at(-1)?.messages);
    expect(reasons).toContain(
      "3 runners were lost with it, one after the other, without a turn in between: r1, r2, r3",
    );
  });

  it("whose clock is six hours ahead, and one that is six hours behind, work as others", async () => {
    const { url } = await ownServer(startRedis());
    const fleet = await openFleet(url, threeEffects());
    for (const [name, hours] of [
      ["ahead", 6],
      ["behind", -6],
    ] as const)
      await fleet.startRunner(name, { env: shiftedBy(hours), args: ["--slots", "1"] });
    const session = fleet.openSession(["anna", "ben", "carl"]);
    await expectDone(session.supervisor.prompt("go"));
    expect(fleet.effects().sort()).toEqual(effectsOf("anna", "ben", "carl"));
    expect(attemptsOf(session).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  it("of another version takes nothing, and one with another key runs nothing", async () => {
    const { url } = await ownServer(startRedis());
    const fleet = await openFleet(url, threeEffects());
    const other = await fleet.startRunner("other", { bin: builtWithWire(WIRE + 1) });
    const key = join(temporaryFolder(), "key");
    await createFleetKey(key);
    const session = fleet.openSession(["anna"]);
    const ending = session.supervisor.prompt("go");
    await until(() =>
      session.supervisor
        .tree()
        .some(({ activity }) => JSON.stringify(activity).includes("none is connected")),
    );
    const stranger = await fleet.startRunner("stranger", { key });
    await until(() => stranger.output().includes("1 refused"));
    await stranger.kill();
    expect(fleet.model.requests).toEqual([]);
    await fleet.startRunner("r1");
    await expectDone(ending);
    expect(fleet.effects()).toEqual(effectsOf("anna"));
    expect(other.output()).not.toContain("1 of 4 slots");
  });

  it("gets files of more than a blob of the engine holds, in parts; over 64 MiB the agent fails, with the size and the limit", async () => {
    const { url } = await ownServer(startRedis());
    const fleet = await openFleet(url, threeEffects());
    await fleet.startRunner("r1");
    writeFileSync(join(fleet.cwd, "large"), randomBytes(9 * 1024 * 1024));
    await expectDone(fleet.openSession(["anna"]).supervisor.prompt("go"));
    expect(fleet.effects()).toEqual(effectsOf("anna"));
    writeFileSync(join(fleet.cwd, "larger"), randomBytes(66 * 1024 * 1024));
    const session = fleet.openSession(["ben"]);
    await expectDone(session.supervisor.prompt("go"));
    expect(JSON.stringify(session.model.requests.at(-1)?.messages)).toMatch(
      /7\d{7} bytes .*67108864.* Set troupe\.runners\.remote here and on the runner/,
    );
    expect(fleet.effects()).toEqual(effectsOf("anna"));
  });
});

describe("a session whose agents are on a runner", { ...unless(whyNoRedis), ...PATIENT }, () => {
  it("that is killed is resumed while they still work; each effect happens once", async () => {
    const { url } = await ownServer(startRedis());
    const [gone, reached] = [gate(), gate()];
    const fleet = await openFleet(
      url,
      threeEffects(async (_, turn) => {
        if (turn !== 1) return;
        reached.pass();
        await gone.passed;
      }),
    );
    const runner = await fleet.startRunner("r1");
    const first = fleet.startSession(["anna", "ben"]);
    const child = await first.child;
    await reached.passed;
    child.kill("SIGKILL");
    await first.ended;
    gone.pass();
    const resumed = await fleet.startSession([], ["--continue"], first.home).ended;
    expect({ code: resumed.code, err: resumed.err }).toMatchObject({ code: 0 });
    const effects = fleet.effects();
    expect([...new Set(effects)]).toHaveLength(effects.length);
    await until(() => runner.output().trimEnd().split("\n").at(-1)?.includes("0 of 4 slots") ?? false);
  });
});

/** A data URL that moves the wall clock of a program. */
function shiftedBy(hours: number): Record<string, string> {
  const code = `const now = Date.now; Date.now = () => now() + ${hours} * 3600000; const Real = Date; globalThis.Date = new Proxy(Real, { construct: (target, args, to) => Reflect.construct(target, args.length === 0 ? [Real.now()] : args, to) });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** The built program with another number in the names of its queues and topics. */
function builtWithWire(wire: number): string {
  const folder = temporaryFolder();
  cpSync(dirname(dirname(BIN)), folder, {
    recursive: true,
    filter: (path) => !path.includes("compile-cache") && !path.includes("node_modules"),
  });
  symlinkSync(join(import.meta.dirname, "../../node_modules"), join(folder, "node_modules"));
  for (const name of readdirSync(DIST).filter((file) => /\.c?js$/.test(file))) {
    const text = readFileSync(join(DIST, name), "utf8");
    writeFileSync(join(folder, "dist", name), text.replaceAll(`troupe-${WIRE}`, `troupe-${wire}`));
  }
  return join(folder, "bin", "troupe.js");
}
