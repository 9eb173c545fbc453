import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { answer, given } from "../own-process.ts";

/** What so many empty threads, all alive at once, cost this process. */
export interface EmptyThreads {
  readonly cpuMs: number;
  readonly rssMiB: number;
}

const count = given<number>();
const before = { cpu: process.cpuUsage(), rss: process.memoryUsage.rss() };
const workers = Array.from({ length: count }, () => {
  return new Worker(new URL("../floor/empty-worker.cjs", import.meta.url));
});
await Promise.all(workers.map((worker) => once(worker, "message")));
const rssMiB = (process.memoryUsage.rss() - before.rss) / 2 ** 20;
await Promise.all(workers.map((worker) => worker.terminate()));
const { user, system } = process.cpuUsage(before.cpu);
await answer({ cpuMs: (user + system) / 1000, rssMiB } satisfies EmptyThreads);
process.exit();
