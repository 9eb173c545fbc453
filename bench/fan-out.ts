import { cli, type Ground, onFreshGround } from "./folders.ts";
import { environment } from "./loop.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, p95 } from "./samples.ts";

/** Of the main conversation: the one that asks for the agents, and the one that ends it. */
const MAIN_REQUESTS = 2;

interface Case {
  readonly agents: number;
  readonly slots: number;
  readonly turns: number;
  /** Milliseconds until each reply. */
  readonly replyMs: number;
  readonly limit: number;
  readonly rounds: number;
}

/** Many agents through the built command line, against what the model alone would take. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const short = { turns: 5, replyMs: 200 };
  const cases: Case[] = [
    { agents: 8, slots: 32, ...short, limit: 1.1, rounds: quick ? 2 : 5 },
    { agents: 32, slots: 32, ...short, limit: 1.15, rounds: quick ? 1 : 5 },
    { agents: 64, slots: 64, ...short, limit: 1.25, rounds: quick ? 1 : 3 },
    { agents: 64, slots: 32, ...short, limit: 1.25, rounds: quick ? 1 : 3 },
    { agents: 256, slots: 256, turns: 5, replyMs: 1_000, limit: 1.2, rounds: 1 },
    { agents: 1_000, slots: 1_000, turns: 2, replyMs: 5_000, limit: 1.25, rounds: 1 },
  ];
  const server = await startModelServer();
  try {
    return await onFreshGround(async (ground) => {
      const startMs = await startOf(server, ground, quick ? 3 : 7);
      const results: BenchResult[] = [];
      for (const each of cases) results.push(...(await fanOut(each, startMs, server, ground)));
      return results;
    });
  } finally {
    server.close();
  }
}

async function fanOut(
  { agents, slots, turns, replyMs, limit, rounds }: Case,
  startMs: number,
  server: ModelServer,
  ground: Ground,
): Promise<BenchResult[]> {
  const walls: number[] = [];
  const cpus: number[] = [];
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await server.play({ type: "fan-out", agents, turns, file: ground.file, delayMs: replyMs });
    const env = { ...environment(server, ground), TROUPE_MAX_AGENTS: String(slots) };
    const { wallMs, cpuMs, peakMiB } = await runProgram([cli, "-p", "Fan out."], { cwd: ground.cwd, env });
    const { requests } = await server.seen();
    const expected = MAIN_REQUESTS + agents * turns;
    if (requests !== expected)
      throw new Error(`${agents} agents sent ${requests} requests, not ${expected}.`);
    walls.push(wallMs);
    cpus.push(cpuMs);
    if (peakMiB !== null) peaks.push(peakMiB);
  }
  const name = `${agents} agents x ${turns} turns at ${replyMs} ms, ${slots} slots`;
  return [
    {
      name,
      unit: "ms",
      ours: median(walls),
      floor: startMs + replyMs * (MAIN_REQUESTS + turns * Math.ceil(agents / slots)),
      target: timesFloor(limit),
      note: p95(walls),
    },
    { name: "  its CPU time", unit: "ms", ours: median(cpus), floor: null, target: null },
    ...(peaks.length === 0
      ? []
      : [{ name: "  its memory at most", unit: "MiB", ours: median(peaks), floor: null, target: null }]),
  ];
}

/** What the ideal must grant: the time until the server has the first request. */
async function startOf(server: ModelServer, ground: Ground, rounds: number): Promise<number> {
  const samples: number[] = [];
  for (let round = -1; round < rounds; round++) {
    await server.play({ type: "loop", turns: 1, file: ground.file });
    const env = environment(server, ground);
    const { startedAt } = await runProgram([cli, "-p", "One question."], { cwd: ground.cwd, env });
    const { firstAt } = await server.seen();
    if (round >= 0) samples.push(firstAt - startedAt);
  }
  return median(samples);
}
