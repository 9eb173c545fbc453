import { BLOB_QUEUE, type EngineServer, type JobQueue, POOL_PREFIX } from "./bullmq/server.ts";
import { parseEngineUrl } from "./engine-url.ts";
import { type EngineOptions, openServer } from "./open-engine.ts";

export interface PoolStock {
  readonly pool: string;
  /** Attempts that wait for a runner, and those that one has taken. */
  readonly waiting: number;
  readonly running: number;
}

export interface EngineStock {
  readonly pools: readonly PoolStock[];
  readonly blobs: number;
}

const MOST_SWEPT = 10_000;

/** Counts what is in an engine. */
export function listStock(url: string, options: EngineOptions = {}): Promise<EngineStock> {
  return withServer(url, options, async (server) => {
    const pools: PoolStock[] = [];
    for (const name of await server.listQueues(POOL_PREFIX)) {
      const { waiting, running } = await withQueue(server, name, countJobs);
      // A queue stays known after its last job.
      if (waiting + running > 0) pools.push({ pool: name.slice(POOL_PREFIX.length), waiting, running });
    }
    const { waiting: blobs } = await withQueue(server, BLOB_QUEUE, countJobs);
    return { pools, blobs };
  });
}

/** Removes attempts and blobs that have waited for so long, and returns how many. */
export function sweepStock(
  url: string,
  olderThanMs: number,
  options: EngineOptions = {},
): Promise<{ readonly attempts: number; readonly blobs: number }> {
  return withServer(url, options, async (server) => {
    const sweep = (name: string) =>
      withQueue(server, name, async (queue) => (await queue.clean(olderThanMs, MOST_SWEPT, "wait")).length);
    let attempts = 0;
    for (const name of await server.listQueues(POOL_PREFIX)) attempts += await sweep(name);
    return { attempts, blobs: await sweep(BLOB_QUEUE) };
  });
}

async function countJobs(queue: JobQueue): Promise<{ waiting: number; running: number }> {
  const { waiting = 0, active = 0 } = await queue.getJobCounts("waiting", "active");
  return { waiting, running: active };
}

async function withServer<T>(
  url: string,
  { password }: EngineOptions,
  work: (server: EngineServer) => Promise<T>,
): Promise<T> {
  const server = await openServer(parseEngineUrl(url, password));
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

async function withQueue<T>(
  server: EngineServer,
  name: string,
  work: (queue: JobQueue) => Promise<T>,
): Promise<T> {
  const queue = server.openQueue(name);
  queue.on("error", () => {});
  try {
    await queue.waitUntilReady();
    return await work(queue);
  } finally {
    await queue.close();
  }
}
