import { join } from "node:path";
import { cli, type Ground, onFreshGround, root } from "./folders.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { type Run, runProgram } from "./program.ts";
import { type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { interleaved, median, p95, rounded } from "./samples.ts";

const SHORTEST = join(root, "bench/floor/shortest-loop.mjs");
const TURNS = 50;

/** One agent through the built command line, against the shortest loop over the SDK. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const server = await startModelServer();
  try {
    return await onFreshGround(async (ground) => {
      const env = environment(server, ground);
      const ours = () => runProgram([cli, "-p", "Read the small file."], { cwd: ground.cwd, env });
      const floor = () => runProgram([SHORTEST, "Read the small file."], { cwd: ground.cwd, env });
      const play = (turns: number) => server.play({ type: "loop", turns, file: ground.file });

      await play(1);
      const first = await firstRequest(server, await ours());
      return [
        ...(await startsOf(quick ? 7 : 15, { ours, floor, server, play }, first)),
        ...(await loopsOf(quick ? 3 : 7, { ours, floor, play })),
      ];
    });
  } finally {
    server.close();
  }
}

interface Contenders {
  readonly ours: () => Promise<Run>;
  readonly floor: () => Promise<Run>;
  readonly play: (turns: number) => Promise<void>;
}

async function startsOf(
  rounds: number,
  { ours, floor, server, play }: Contenders & { readonly server: ModelServer },
  veryFirst: number,
): Promise<BenchResult[]> {
  const whole = { ours: [] as number[], floor: [] as number[] };
  const measured = (name: "ours" | "floor", program: () => Promise<Run>) => async () => {
    await play(1);
    const run = await program();
    whole[name].push(run.wallMs);
    return firstRequest(server, run);
  };
  const starts = await interleaved(rounds, { ours: measured("ours", ours), floor: measured("floor", floor) });
  return [
    {
      name: "CLI start to first request",
      unit: "ms",
      ours: median(starts.ours),
      floor: median(starts.floor),
      target: timesFloor(1.3),
      note: `${p95(starts.ours)}; ${rounded(veryFirst)} with nothing compiled yet`,
    },
    {
      name: "one question, one reply, whole process",
      unit: "ms",
      ours: median(whole.ours),
      floor: median(whole.floor),
      target: null,
    },
  ];
}

async function loopsOf(rounds: number, { ours, floor, play }: Contenders): Promise<BenchResult[]> {
  const cpu = { ours: [] as number[], floor: [] as number[] };
  const measured = (name: "ours" | "floor", program: () => Promise<Run>) => async () => {
    // The last reply is text, and not one of the turns that call a tool.
    await play(TURNS + 1);
    const { wallMs, cpuMs } = await program();
    cpu[name].push(cpuMs);
    return wallMs;
  };
  const walls = await interleaved(rounds, { ours: measured("ours", ours), floor: measured("floor", floor) });
  return [
    {
      name: `one agent, ${TURNS} tool turns, whole process`,
      unit: "ms",
      ours: median(walls.ours),
      floor: median(walls.floor),
      target: timesFloor(1.6),
      note: p95(walls.ours),
    },
    { name: "  its CPU time", unit: "ms", ours: median(cpu.ours), floor: median(cpu.floor), target: null },
  ];
}

async function firstRequest(server: ModelServer, { startedAt }: Run): Promise<number> {
  return (await server.seen()).firstAt - startedAt;
}

/** Both programs get the same: a server and a key. */
export function environment({ url }: ModelServer, { home }: Ground): Record<string, string> {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "test-key", HOME: home, TROUPE_HOME: home };
}
