import { type Ground, onFreshGround } from "./folders.ts";
import type { AgentsRun, AgentsTask } from "./inside/agents.ts";
import type { EmptyThreads } from "./inside/empty-threads.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median } from "./samples.ts";

const AGENTS = new URL("./inside/agents.ts", import.meta.url);
const EMPTY = new URL("./inside/empty-threads.ts", import.meta.url);
const TURNS = 5;
const MANY = 33;
const LIVE = 64;

/** What an agent costs, each measurement in a fresh process: ours is the whole runtime, built. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const rounds = quick ? 1 : 3;
  const server = await startModelServer();
  try {
    return await onFreshGround(async (ground) => {
      // Fills the compile cache, so that every measured process finds the same.
      await agents(1, server, ground);
      const ours = { cpu: [] as number[], rss: [] as number[] };
      const empty = { cpu: [] as number[], rss: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        const one = await agents(1, server, ground);
        const many = await agents(MANY, server, ground);
        ours.cpu.push((many.cpuMs - one.cpuMs) / (MANY - 1));
        ours.rss.push((await agents(LIVE, server, ground)).rssMiB / LIVE);
        const none = await threads(1);
        empty.cpu.push(((await threads(MANY)).cpuMs - none.cpuMs) / (MANY - 1));
        empty.rss.push((await threads(LIVE)).rssMiB / LIVE);
      }
      return [
        {
          name: `CPU of a cold agent of ${TURNS} turns, with its share of the runtime`,
          unit: "ms",
          ours: median(ours.cpu),
          floor: median(empty.cpu),
          target: atMost(75),
          note: `each of ${MANY - 1} more agents at once; floor: an empty thread`,
        },
        {
          name: `memory of a live agent, ${LIVE} of them in their ${TURNS}th turn`,
          unit: "MiB",
          ours: median(ours.rss),
          floor: median(empty.rss),
          target: atMost(18),
          note: "growth of the process; floor: empty threads",
        },
      ];
    });
  } finally {
    server.close();
  }
}

async function agents(
  count: number,
  server: ModelServer,
  { cwd, home, file, compileCache }: Ground,
): Promise<AgentsRun> {
  await server.play({ type: "loop", turns: TURNS, file, meeting: count });
  const task: AgentsTask = { agents: count, turns: TURNS, url: server.url, cwd, home };
  return inOwnProcess<AgentsRun>(AGENTS, task, { NODE_COMPILE_CACHE: compileCache });
}

function threads(count: number): Promise<EmptyThreads> {
  return inOwnProcess<EmptyThreads>(EMPTY, count);
}
