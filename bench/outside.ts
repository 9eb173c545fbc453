import type { TimersRun } from "./inside/timers.ts";
import type { WebRun, WebTask } from "./inside/web.ts";
import { inOwnProcess } from "./own-process.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { median, p95, quantile } from "./samples.ts";

/** The outside world and time: pages, and prompts that wait for theirs. */
export async function run(options: BenchOptions): Promise<BenchResult[]> {
  return [...(await web(options)), ...(await timers(options))];
}

async function web({ quick }: BenchOptions): Promise<BenchResult[]> {
  const { samples, cpuMs, chars } = await inOwnProcess<WebRun>(new URL("./inside/web.ts", import.meta.url), {
    rounds: quick ? 7 : 25,
    bytes: 1_000_000,
  } satisfies WebTask);
  const { page, library, article } = samples;
  const best = (quantile(page, 0.1) / quantile(library, 0.1)).toFixed(2);
  return [
    {
      name: "WebFetch of a 1 MB page to Markdown",
      unit: "ms",
      ours: median(page),
      floor: median(library),
      target: timesFloor(1.5),
      note: `${p95(page)}; best tenth ${best}x; CPU ${(cpuMs.page / cpuMs.library).toFixed(2)}x; ${chars} characters; floor: linkedom, Readability and Turndown alone, on the text`,
    },
    {
      name: "  of a page of 20 KB",
      unit: "ms",
      ours: median(article),
      floor: null,
      target: null,
      note: p95(article),
    },
  ];
}

async function timers({ quick }: BenchOptions): Promise<BenchResult[]> {
  const seconds = quick ? 5 : 20;
  const { idleMs, emptyMs, jobs } = await inOwnProcess<TimersRun>(
    new URL("./inside/timers.ts", import.meta.url),
    { seconds },
  );
  return [
    {
      name: `CPU of ${jobs} scheduled prompts that wait, a second`,
      unit: "ms",
      ours: idleMs / seconds,
      floor: null,
      target: atMost(1),
      note: `${(emptyMs / seconds).toFixed(2)} ms without any; 20 projects with 50 each, the limit of a session; over ${seconds} s`,
    },
  ];
}
