import { type ChildProcess, fork } from "node:child_process";
import { onFreshGround } from "./folders.ts";
import type { FromLiveSession, LiveSessionTask, ToLiveSession } from "./inside/live-session.ts";
import type { LiveViewerRun, LiveViewerTask } from "./inside/live-viewer.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult } from "./result.ts";
import { median, rounded } from "./samples.ts";

const AGENTS = 200;

/** What somebody who looks at 200 agents ten times a second, over the session's own socket, costs the session. */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const [rounds, ms] = quick ? [3, 1_000] : [5, 3_000];
  return onFreshGround(async ({ home, cwd }) => {
    const session = fork(
      new URL("./inside/live-session.ts", import.meta.url),
      [JSON.stringify({ agents: AGENTS, home, cwd } satisfies LiveSessionTask)],
      { stdio: ["ignore", "inherit", "inherit", "ipc"] },
    );
    try {
      const { path } = await heard(session, "listens");
      const alone: number[] = [];
      const watched: number[] = [];
      const looks: number[] = [];
      // The first round is not counted: code is cold.
      for (let round = -1; round < rounds; round++) {
        const without = await measured(session, ms);
        const task: LiveViewerTask = { path, ms: ms + 1_000 };
        const viewer = inOwnProcess<LiveViewerRun>(new URL("./inside/live-viewer.ts", import.meta.url), task);
        // Its own start is not what is measured, and it stays a little longer.
        await new Promise((resolve) => setTimeout(resolve, 500));
        const withOne = await measured(session, ms);
        const { looks: shown, agents } = await viewer;
        if (agents !== AGENTS) throw new Error(`The viewer was shown ${agents} agents, not ${AGENTS}.`);
        if (round < 0) continue;
        alone.push(without);
        watched.push(withOne);
        looks.push((shown * 1000) / task.ms);
      }
      const { us } = await told(session, { type: "tree" }, "tree");
      const cost = median(watched.map((percent, round) => percent - (alone[round] ?? 0)));
      return [
        {
          name: `watching ${AGENTS} agents at 10 Hz from another process`,
          unit: "% of a core",
          ours: cost,
          floor: null,
          target: atMost(2),
          note: `${rounded(median(watched))} with a viewer, ${rounded(median(alone))} without; ${rounded(median(looks))} lines a second; all agents change in each`,
        },
        { name: `  supervisor.tree() of ${AGENTS} agents`, unit: "µs", ours: us, floor: null, target: null },
      ];
    } finally {
      session.kill();
    }
  });
}

/** Percent of one core. */
async function measured(session: ChildProcess, ms: number): Promise<number> {
  const { cpuMs, wallMs } = await told(session, { type: "measure", ms }, "measured");
  return (100 * cpuMs) / wallMs;
}

function told<Type extends FromLiveSession["type"]>(
  session: ChildProcess,
  message: ToLiveSession,
  type: Type,
): Promise<Extract<FromLiveSession, { type: Type }>> {
  const answer = heard(session, type);
  session.send(message);
  return answer;
}

function heard<Type extends FromLiveSession["type"]>(
  session: ChildProcess,
  type: Type,
): Promise<Extract<FromLiveSession, { type: Type }>> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: FromLiveSession) => {
      if (message.type === type) resolve(message as Extract<FromLiveSession, { type: Type }>);
      session.off("exit", onExit);
    };
    const onExit = (code: number | null) => reject(new Error(`The session ended with ${code}.`));
    session.once("message", onMessage).once("exit", onExit);
  });
}
