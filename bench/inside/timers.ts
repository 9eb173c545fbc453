import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { systemClock } from "../../src/lib/clock.ts";
import { openTimers, type Timers } from "../../src/timers/timers.ts";
import { onFreshGround } from "../folders.ts";
import { answer, given } from "../own-process.ts";

export interface TimersRun {
  /** Milliseconds of the processor, with the jobs and without any. */
  readonly idleMs: number;
  readonly emptyMs: number;
  readonly jobs: number;
}

/** As many as a session may have, in 20 projects: 1,000 in one process. */
const JOBS = 50;
const PROJECTS = 20;

const { seconds } = given<{ readonly seconds: number }>();

async function cpuWhileIdle(): Promise<number> {
  const before = process.cpuUsage();
  await wait(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

await onFreshGround(async ({ cwd, home }) => {
  const emptyMs = await cpuWhileIdle();
  let id = 0;
  const sessions: Timers[] = [];
  for (let n = 0; n < PROJECTS; n += 1) sessions.push(await openProject(join(cwd, `project${n}`)));
  // What creating them takes is not waiting.
  await wait(1000);
  const idleMs = await cpuWhileIdle();
  let jobs = 0;
  for (const timers of sessions) {
    jobs += (await timers.list()).timers.length;
    await timers.close();
  }
  await answer({ idleMs, emptyMs, jobs } satisfies TimersRun);

  async function openProject(project: string): Promise<Timers> {
    mkdirSync(project);
    const timers = openTimers({
      ...{ project, home, clock: systemClock, newId: () => `job${id++}`, onDue() {}, onWarning() {} },
    });
    await timers.open();
    for (let n = 0; n < JOBS; n += 1)
      await timers.create({
        cron: `${n} 4 1 1 *`,
        prompt: `look at ${n}`,
        recurring: true,
        durable: n % 2 === 0,
      });
    return timers;
  }
});
