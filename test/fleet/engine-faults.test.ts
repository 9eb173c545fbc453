// @module-tag long

import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLine } from "../support/cut-line.ts";
import {
  type OwnServer,
  startPostgres,
  startRedis,
  whyNoPostgres,
  whyNoRedis,
} from "../support/engine-servers.ts";
import {
  type Fleet,
  gate,
  openFleet,
  type RunnerProcess,
  type SessionSetup,
} from "../support/fleet-processes.ts";
import { unless } from "../support/needs.ts";
import type { Supervised } from "../support/supervised.ts";
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

/** Longer than the lease of the sessions of these tests, and than a runner's silence. */
const PAST_THE_LEASE_MS = 16_000;

interface Held {
  readonly fleet: Fleet;
  readonly session: Supervised;
  readonly runner: RunnerProcess;
  readonly ending: ReturnType<Supervised["supervisor"]["prompt"]>;
  /** Lets the agents have their second turn. */
  release(): void;
}

/** Two agents at work, which wait for the model with one turn behind them; a third waits for their slots. */
async function agentsAtWork(
  url: string,
  { slots = 2, line = url, session: setup = {} as SessionSetup } = {},
): Promise<Held> {
  const held = gate();
  const { met, arrive } = meeting(2);
  const fleet = await openFleet(
    url,
    threeEffects(async (_, turn) => {
      if (turn !== 1) return;
      arrive();
      await held.passed;
    }),
  );
  const runner = await fleet.startRunner("r1", { engine: line, args: ["--slots", `${slots}`] });
  const session = fleet.openSession(["anna", "ben", "carl"], setup);
  const ending = session.supervisor.prompt("go");
  await met;
  return { fleet, runner, session, ending, release: held.pass };
}

/** All three are done by their first attempts, and each effect happened once. */
async function expectUnharmed({ fleet, session, ending }: Held): Promise<void> {
  await expectDone(ending);
  const reports = JSON.stringify(session.model.requests.at(-1)?.messages);
  expect(reports.match(/is done\./g), reports).toHaveLength(3);
  expect(fleet.effects().sort()).toEqual(effectsOf("anna", "ben", "carl"));
  expect(attemptsOf(session)).toEqual(
    ["anna", "ben", "carl"].map((description) => ({ description, runner: "r1", attempt: 1, status: "done" })),
  );
}

async function commandOf({ url }: OwnServer): Promise<Redis> {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

describe("agents on a real runner, when Redis", { ...unless(whyNoRedis), ...PATIENT }, () => {
  it("is killed and started again, lose nothing", async () => {
    const server = await ownServer(startRedis());
    const held = await agentsAtWork(server.url);
    await server.crash();
    await server.restart();
    held.release();
    await server.crash();
    await server.restart();
    await expectUnharmed(held);
  });

  it("is away for longer than a lease, wait for it, and none is judged", async () => {
    const server = await ownServer(startRedis());
    const held = await agentsAtWork(server.url);
    await server.crash();
    held.release();
    await pause(PAST_THE_LEASE_MS);
    await server.restart();
    await expectUnharmed(held);
  });

  it("has lost all its data, continue, and the one that waited is offered again", async () => {
    const server = await ownServer(startRedis([]));
    const held = await agentsAtWork(server.url);
    await server.crash();
    await server.restart();
    held.release();
    await expectUnharmed(held);
  });

  it("is out of memory for longer than a lease, wait, and none is judged", async () => {
    const server = await ownServer(startRedis());
    const held = await agentsAtWork(server.url);
    const client = await commandOf(server);
    await client.config("SET", "maxmemory", "1");
    held.release();
    await pause(PAST_THE_LEASE_MS);
    await client.config("SET", "maxmemory", "0");
    await expectUnharmed(held);
  });

  it("drops what it likes because its memory is full, continue when that has ended", async () => {
    const server = await ownServer(startRedis());
    const held = await agentsAtWork(server.url);
    const client = await commandOf(server);
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    await client.config("SET", "maxmemory", "1");
    held.release();
    await client.set("one more", "x").catch(() => {});
    await pause(5_000);
    await client.config("SET", "maxmemory", "0");
    await expectUnharmed(held);
  });

  it.each(["in", "out"] as const)(
    "gets nothing from, or sends nothing to, the runner (%s): another runner continues, and no work of the first is accepted",
    async (direction) => {
      const server = await ownServer(startRedis());
      const line = await openLine(server.port);
      const held = await agentsAtWork(server.url, { slots: 4, line: `redis://127.0.0.1:${line.port}` });
      line.cut(direction);
      await held.fleet.startRunner("r2");
      held.release();
      await expectDone(held.ending);
      line.mend();
      const { fleet, session, runner } = held;
      expect(
        fleet
          .effects()
          .filter((effect) => !effect.endsWith("-1"))
          .sort(),
      ).toEqual(effectsOf("anna", "ben", "carl").filter((effect) => !effect.endsWith("-1")));
      expect(attemptsOf(session).map(({ runner: name, status }) => `${name} ${status}`)).toEqual(
        Array(3).fill("r2 done"),
      );
      // Both have the path of each agent's files, and the first, which ends its attempt, leaves those of the second alone.
      for (const { attempt } of attemptsOf(session)) expect(attempt).toBeLessThanOrEqual(2);
      await until(() => runner.output().trimEnd().split("\n").at(-1)?.includes("0 of 4 slots") ?? false);
    },
  );

  it.each(["in", "out"] as const)(
    "does not reach the session, or is not reached by it (%s), wait, and none is judged",
    async (direction) => {
      const server = await ownServer(startRedis());
      const line = await openLine(server.port);
      const held = await agentsAtWork(server.url, {
        session: { line: `redis://127.0.0.1:${line.port}`, speed: 2 },
      });
      line.cut(direction);
      held.release();
      // A connection that is cut one way is replaced after 15 s, for which a lease must be long enough.
      await pause(2 * PAST_THE_LEASE_MS);
      line.mend();
      await expectUnharmed(held);
    },
  );
});

describe("agents on a real runner, when PostgreSQL", { ...unless(whyNoPostgres), ...PATIENT }, () => {
  it("is killed, away for longer than a lease and started again, lose nothing", async () => {
    const server = await ownServer(startPostgres());
    const held = await agentsAtWork(server.url);
    await server.crash();
    held.release();
    await pause(PAST_THE_LEASE_MS);
    await server.restart();
    await expectUnharmed(held);
  });
});
