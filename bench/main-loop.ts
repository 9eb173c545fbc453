import { onFreshGround } from "./folders.ts";
import type { AgentsRun, AgentsTask } from "./inside/agents.ts";
import { startModelServer } from "./model-server.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, rounded } from "./samples.ts";

const AGENTS = 64;
const TURNS = 5;
const PIECES = { count: 40, apartMs: 10 };

/** How late timers of the supervisor's own thread are while many agents stream. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const server = await startModelServer();
  try {
    return await onFreshGround(async ({ cwd, home, file, compileCache }) => {
      const runs: AgentsRun[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++) {
        await server.play({ type: "loop", turns: TURNS, file, delayMs: 200, pieces: PIECES });
        const task: AgentsTask = { agents: AGENTS, turns: TURNS, url: server.url, cwd, home };
        const env = { NODE_COMPILE_CACHE: compileCache };
        runs.push(await inOwnProcess<AgentsRun>(new URL("./inside/agents.ts", import.meta.url), task, env));
      }
      const working = runs.map(({ lateness }) => lateness.working);
      const whole = runs.map(({ lateness }) => lateness.whole);
      const wall = median(runs.map(({ wallMs }) => wallMs));
      return [
        {
          name: `main-loop lateness p99 while ${AGENTS} agents stream`,
          unit: "ms",
          ours: median(working.map(({ p99 }) => p99)),
          floor: null,
          target: atMost(30),
          note: `worst ${rounded(median(working.map(({ max }) => max)))}; ${PIECES.count} pieces a reply, ${PIECES.apartMs} ms apart`,
        },
        {
          name: "  the same with the start of their threads",
          unit: "ms",
          ours: median(whole.map(({ p99 }) => p99)),
          floor: null,
          target: null,
          note: `worst ${rounded(median(whole.map(({ max }) => max)))}; all done after ${rounded(wall)} ms`,
        },
      ];
    });
  } finally {
    server.close();
  }
}
