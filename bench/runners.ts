import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { POOL_PREFIX } from "../src/engine/bullmq/server.ts";
import { cpuMs } from "./cpu.ts";
import type { TravelRun } from "./inside/travel.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { type BenchFleet, countMessages, memoryOf, onFleet, until, type Where } from "./runner-fleet.ts";
import { interleaved, median, p95, quantile } from "./samples.ts";

/** By its path in the agent's directory, which is another one on each machine. */
const FILE = "small.txt";
const MANY_TURNS = 41;
/** Of queued agents: as many as a session has at a time without being asked for more. */
const OFFERED = 32;

/** Agents on runners of this machine, against the same agents here. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  return [
    ...(await onFleet(async (fleet) => [
      ...(await waiting(fleet, quick)),
      ...(await onOneRunner(fleet, quick)),
      ...(await onFourRunners(fleet, quick)),
    ])),
    ...(await travelling(quick)),
  ];
}

/** What queued agents cost, while there is no runner. */
async function waiting(fleet: BenchFleet, quick: boolean): Promise<BenchResult[]> {
  const many = quick ? 200 : 1_000;
  const one = await queued(fleet, 1, 1);
  const all = await queued(fleet, many, quick ? 16 : OFFERED);
  return [
    {
      ...{ name: "spec without history on the wire", unit: "kB", ours: one.jobBytes / 1_000, floor: null },
      ...{ target: atMost(4), note: "sealed, in base64, with the schemas of its tools" },
    },
    {
      ...{ name: `memory of ${many} queued agents in their session`, unit: "MiB", floor: null },
      ...{ ours: all.rssMiB - one.rssMiB, target: atMost(100) },
    },
    {
      ...{ name: "  their part of a core", unit: "%", ours: all.core * 100, floor: null, target: atMost(2) },
      note: `${(one.core * 100).toFixed(1)} with one`,
    },
    {
      ...{ name: "  memory of the engine for each", unit: "kB", floor: null, target: null },
      ours: (all.engineBytes - one.engineBytes) / ((quick ? 16 : OFFERED) - 1) / 1_000,
    },
  ];
}

/** `offered`: so many of them have a worktree and wait in the engine; the others wait in the session. */
async function queued({ redis, model, spawnFanOut }: BenchFleet, agents: number, offered: number) {
  await model.play({ type: "loop", turns: 1, file: FILE });
  const queue = `troupe:${POOL_PREFIX}default`;
  const child = spawnFanOut(agents, ["--concurrency", `${offered}`]);
  try {
    await until(async () => (await redis.llen(`${queue}:wait`)) === offered, 600_000);
    const [id = ""] = await redis.lrange(`${queue}:wait`, 0, 0);
    const jobBytes = ((await redis.hget(`${queue}:${id}`, "data")) ?? "").length;
    const engineBytes = Number(/used_memory:(\d+)/.exec(await redis.info("memory"))?.[1]);
    // It has settled: what it costs to wait is meant, not to begin.
    await pause(5_000);
    const [before, ms] = [cpuMs([child.pid]) ?? 0, 20_000];
    await pause(ms);
    const core = ((cpuMs([child.pid]) ?? 0) - before) / ms;
    return { jobBytes, engineBytes, core, rssMiB: memoryOf([`${child.pid}`]) };
  } finally {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    await redis.flushall();
  }
}

async function onOneRunner(fleet: BenchFleet, quick: boolean): Promise<BenchResult[]> {
  const { model, redis, fanOut } = fleet;
  const runner = await fleet.start("r1", 16);
  await model.play({ type: "loop", turns: 1, file: FILE });
  await fanOut("runners", 1);
  await pause(2_000);
  const idle = memoryOf(runner.pids());
  const turns = await addedToTurn(fleet, quick);
  const boarding = await boardings(fleet, quick ? 5 : 25);
  const sixteen = await liveMemory(fleet, runner.pids, 16);
  const cancelled = await cancels(fleet, quick ? 3 : 10);
  const before = await countMessages(redis);
  await model.play({ type: "loop", turns: 1, file: FILE });
  await fanOut("runners", 1);
  const messages = (await countMessages(redis)) - before;
  await runner.stop();
  return [
    ...turns,
    { name: "  messages of a whole agent of one turn", unit: "", ours: messages, floor: null, target: null },
    {
      ...{ name: "agent offered to boarded, a process booted ahead", unit: "ms", ours: median(boarding) },
      ...{ floor: null, target: atMost(30), note: p95(boarding) },
    },
    {
      ...{ name: "  the same, p95", unit: "ms", ours: quantile(boarding, 0.95), floor: null },
      target: atMost(150),
    },
    {
      ...{ name: "memory of an idle runner", unit: "MiB", ours: idle, floor: null, target: atMost(90) },
      note: "with a booted process; shared memory counted once",
    },
    {
      ...{
        name: "  of each agent, 16 of them in their 5th turn",
        unit: "MiB",
        floor: null,
        target: atMost(70),
      },
      ours: (sixteen - idle) / 16,
    },
    {
      ...{ name: "cancelled to its process gone", unit: "ms", ours: quantile(cancelled, 0.95), floor: null },
      ...{ target: atMost(500), note: `p95; median ${Math.round(median(cancelled))}` },
    },
  ];
}

async function addedToTurn({ model, redis, fanOut }: BenchFleet, quick: boolean): Promise<BenchResult[]> {
  const messages: number[] = [];
  const whole = (where: "runners" | "here", turns: number) => async () => {
    await model.play({ type: "loop", turns, file: FILE });
    const before = await countMessages(redis);
    await fanOut(where, 1);
    const { firstAt, lastAt, requests } = await model.seen();
    if (requests !== turns) throw new Error(`The agent sent ${requests} requests, not ${turns}.`);
    if (where === "runners" && turns === MANY_TURNS) messages.push((await countMessages(redis)) - before);
    return (lastAt - firstAt) / (turns - 1);
  };
  const short: number[] = [];
  const { here, runners } = await interleaved(quick ? 2 : 7, {
    here: whole("here", MANY_TURNS),
    runners: whole("runners", MANY_TURNS),
  });
  for (let round = 0; round < 3; round += 1) {
    await model.play({ type: "loop", turns: 1, file: FILE });
    const before = await countMessages(redis);
    await fanOut("runners", 1);
    short.push((await countMessages(redis)) - before);
  }
  return [
    {
      ...{ name: "a turn with one call, on a runner", unit: "ms", ours: median(runners) },
      ...{ floor: median(here), target: null, note: "floor: in a thread of the session" },
    },
    {
      ...{ name: "  added to it", unit: "ms", ours: median(runners) - median(here), floor: null },
      target: atMost(15),
    },
    {
      ...{ name: "  its messages", unit: "", floor: null, target: atMost(6) },
      ours: (median(messages) - median(short)) / (MANY_TURNS - 1),
    },
  ];
}

/** From the records of a session: when an attempt was started, and when its runner had it. Its first one opens the engine. */
async function boardings({ fanOut, ground }: BenchFleet, rounds: number): Promise<number[]> {
  const known = new Set(journals(ground.home));
  await fanOut("runners", rounds + 1, 1);
  const [path = ""] = journals(ground.home).filter((name) => !known.has(name));
  const started = new Map<string, number>();
  const samples: number[] = [];
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const record = /\{.*\}/.exec(line)?.[0];
    if (record === undefined) continue;
    const { at, event } = JSON.parse(record) as { at: string; event: { type: string; actor: string } };
    if (event.type === "start") started.set(event.actor, Date.parse(at));
    if (event.type === "boarded") samples.push(Date.parse(at) - (started.get(event.actor) ?? Number.NaN));
  }
  return samples.slice(1);
}

function journals(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(home, name));
}

async function liveMemory(
  { model, spawnFanOut }: BenchFleet,
  pids: () => string[],
  agents: number,
): Promise<number> {
  await model.play({ type: "loop", turns: 5, file: FILE, meeting: agents + 1 });
  const child = spawnFanOut(agents, ["--concurrency", `${agents}`]);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  await until(async () => (await model.seen()).requests === agents * 5);
  await pause(1_000);
  const memory = memoryOf(pids());
  child.kill("SIGINT");
  await gone;
  return memory;
}

/** A session is interrupted while its agent waits for the model. */
async function cancels({ model, spawnFanOut }: BenchFleet, rounds: number): Promise<number[]> {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await model.play({ type: "loop", turns: 1, file: FILE, meeting: 2 });
    const child = spawnFanOut(1);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    await until(async () => (await model.seen()).requests === 1);
    const [agent = ""] = agentProcesses();
    const at = performance.now();
    child.kill("SIGINT");
    await until(() => !agentProcesses().includes(agent));
    samples.push(performance.now() - at);
    await gone;
    await pause(1_500);
  }
  return samples;
}

/** The worktree of an agent is the working directory of its process or not; its command names its file. Oldest first. */
function agentProcesses(): string[] {
  return readdirSync("/proc")
    .filter((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("agent-process");
      } catch {
        return false;
      }
    })
    .sort((a, b) => Number(a) - Number(b));
}

async function onFourRunners({ start, model, fanOut }: BenchFleet, quick: boolean): Promise<BenchResult[]> {
  const runners = await Promise.all(["a", "b", "c", "d"].map((name) => start(name, 16)));
  const fanned =
    (where: Where, agents: number, turns: number, delayMs: number, slots: number) => async () => {
      await model.play({ type: "loop", turns, file: FILE, delayMs });
      await fanOut(where, agents, slots);
      const { requests, firstAt, lastAt } = await model.seen();
      if (requests !== agents * turns) throw new Error(`${agents} agents sent ${requests} requests.`);
      return lastAt - firstAt;
    };
  const rounds = quick ? 1 : 3;
  const wide = await interleaved(rounds, {
    here: fanned("here", 64, 5, 200, 64),
    worktrees: fanned("worktrees", 64, 5, 200, 64),
    runners: fanned("runners", 64, 5, 200, 64),
    processes: bareProcesses(64),
  });
  const short = await interleaved(rounds, {
    here: fanned("here", 200, 1, 0, 32),
    worktrees: fanned("worktrees", 200, 1, 0, 32),
    runners: fanned("runners", 200, 1, 0, 32),
    processes: bareProcesses(200),
  });
  for (const runner of runners) await runner.stop();
  return [
    {
      ...{
        name: "64 agents x 5 turns at 200 ms, 4 runners of 16 slots",
        unit: "ms",
        ours: median(wide.runners),
      },
      ...{ floor: median(wide.here), target: timesFloor(1.5), note: "floor: in threads, 64 slots" },
    },
    {
      ...{ name: "  the same here, with worktrees", unit: "ms", ours: median(wide.worktrees) },
      ...{ floor: null, target: null },
    },
    bareRow(64, wide.processes),
    {
      ...{ name: "200 agents of one turn, 4 runners, 32 slots", unit: "ms", ours: median(short.runners) },
      ...{ floor: median(short.here), target: atMost(4_000), note: "first request to last" },
    },
    {
      ...{ name: "  the same here, with worktrees", unit: "ms", ours: median(short.worktrees) },
      ...{ floor: null, target: null },
    },
    bareRow(200, short.processes),
  ];
}

/** What a process for each agent costs by itself: empty ones, 32 at a time. */
function bareProcesses(count: number) {
  return async () => {
    const from = performance.now();
    let started = 0;
    const next = async (): Promise<void> => {
      if (started >= count) return;
      started += 1;
      await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
      return next();
    };
    await Promise.all(Array.from({ length: 32 }, next));
    return performance.now() - from;
  };
}

function bareRow(count: number, samples: readonly number[]): BenchResult {
  return {
    ...{ name: `  ${count} processes of Node that do nothing`, unit: "ms", ours: median(samples) },
    ...{ floor: null, target: null },
  };
}

async function travelling(quick: boolean): Promise<BenchResult[]> {
  const { files, out, back, bytes } = await inOwnProcess<TravelRun>(
    new URL("./inside/travel.ts", import.meta.url),
    quick ? 3 : 15,
  );
  return [
    {
      ...{ name: `worktree of ${files} files to a runner that has the clone`, unit: "ms", ours: median(out) },
      ...{ floor: null, target: atMost(150), note: `${p95(out)}; without the engine` },
    },
    {
      ...{ name: "  an edit back into its worktree here", unit: "ms", ours: median(back), floor: null },
      ...{ target: atMost(100), note: `${p95(back)}; a bundle of ${bytes} bytes` },
    },
  ];
}
