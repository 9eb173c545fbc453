import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { createFleetKey } from "../src/engine/fleet-key.ts";
import { type OwnServer, startRedis, whyNoRedis } from "../test/support/engine-servers.ts";
import { cli, type Ground, onFreshGround } from "./folders.ts";
import { environment } from "./loop.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { type Run, runProgram } from "./program.ts";

/** Real runners on this machine, a Redis of their own, and the fake model that they ask. */
export interface BenchFleet {
  readonly server: OwnServer;
  readonly redis: Redis;
  readonly model: ModelServer;
  readonly ground: Ground;
  readonly env: Readonly<Record<string, string>>;
  start(name: string, slots: number): Promise<BenchRunner>;
  /** `troupe fanout` with so many tasks, on the runners or here. */
  fanOut(where: Where, agents: number, concurrency?: number): Promise<Run>;
  /** The same, for as long as it is not killed. */
  spawnFanOut(agents: number, more?: readonly string[]): ChildProcess;
}

/** Agents on a runner always have files of their own; in threads here they do if they have worktrees. */
export type Where = "runners" | "here" | "worktrees";

export interface BenchRunner {
  /** All processes of it. */
  pids(): string[];
  stop(): Promise<void>;
}

export async function onFleet<T>(use: (fleet: BenchFleet) => Promise<T>): Promise<T> {
  if (whyNoRedis !== null) throw new Error(`The benchmark of runners needs it: ${whyNoRedis}.`);
  const server = await startRedis();
  const redis = new Redis(server.url);
  const model = await startModelServer();
  const runners = new Set<BenchRunner>();
  try {
    return await onFreshGround(async (ground) => {
      const fleet = await openFleet(ground, { server, redis, model, runners });
      try {
        return await use(fleet);
      } finally {
        for (const runner of runners) await runner.stop();
      }
    });
  } finally {
    redis.disconnect();
    model.close();
    await server.close();
  }
}

async function openFleet(
  ground: Ground,
  {
    server,
    redis,
    model,
    runners,
  }: Pick<BenchFleet, "server" | "redis" | "model"> & { runners: Set<BenchRunner> },
): Promise<BenchFleet> {
  const { cwd, home } = ground;
  const identity = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...identity, "commit", "-q", "-m", "All"],
  ])
    execFileSync("git", args, { cwd });
  await createFleetKey(join(home, "fleet-key"));
  const env = environment(model, ground);
  const fanOutArgs = (agents: number, more: readonly string[]) => [
    ...[cli, "fanout", "--agent", "general-purpose", "--permission-mode", "acceptEdits", ...more],
    ...Array.from({ length: agents }, (_, n) => `Answer question ${n}.`),
  ];
  const remote = ["--runners", "--engine", server.url];
  const flags: Readonly<Record<Where, readonly string[]>> = {
    ...{ here: [], worktrees: ["--isolation", "worktree"], runners: remote },
  };
  return {
    ...{ server, redis, model, ground, env },
    async start(name, slots) {
      const runner = await startRunner(name, slots, { ground, url: server.url, model });
      runners.add(runner);
      return runner;
    },
    fanOut: (where, agents, concurrency = agents) =>
      runProgram(fanOutArgs(agents, ["--concurrency", `${concurrency}`, ...flags[where]]), { cwd, env }),
    spawnFanOut: (agents, more = []) =>
      spawn(process.execPath, fanOutArgs(agents, [...remote, ...more]), {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", ...env },
        stdio: "ignore",
      }),
  };
}

async function startRunner(
  name: string,
  slots: number,
  { ground, url, model }: { readonly ground: Ground; readonly url: string; readonly model: ModelServer },
): Promise<BenchRunner> {
  const home = join(ground.home, name);
  mkdirSync(home, { mode: 0o700 });
  execFileSync("cp", ["-p", join(ground.home, "fleet-key"), home]);
  const child = spawn(
    process.execPath,
    [cli, "runner", "--engine", url, "--name", name, "--slots", `${slots}`],
    {
      env: {
        PATH: process.env["PATH"] ?? "",
        ...environment(model, { ...ground, home }),
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    let written = "";
    child.stderr.on("data", (piece) => {
      written += piece;
      if (written.includes(`runner ${name} (`)) resolve();
    });
    void exited.then(() => reject(new Error(`The runner did not start: ${written}`)));
  });
  return {
    pids: () => processesOf(home),
    async stop() {
      if (child.exitCode === null) child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Agents' processes have the home, and nothing else of the environment. */
function processesOf(home: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}

/** MiB of processes: memory that they share is counted once. */
export function memoryOf(pids: readonly string[]): number {
  let kilobytes = 0;
  for (const pid of pids)
    try {
      kilobytes += Number(
        /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0,
      );
    } catch {
      // It has ended since.
    }
  return kilobytes / 1024;
}

/** How often Redis has added to a stream, which each message and each state of a job does. */
export async function countMessages(redis: Redis): Promise<number> {
  return Number(/cmdstat_xadd:calls=(\d+)/.exec(await redis.info("commandstats"))?.[1] ?? 0);
}

export async function until(holds: () => boolean | Promise<boolean>, ms = 120_000): Promise<void> {
  for (let left = ms / 10; left > 0; left -= 1) {
    if (await holds()) return;
    await pause(10);
  }
  throw new Error("What the benchmark waits for does not happen.");
}
