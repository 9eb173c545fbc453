import type { EngineUrl } from "../engine-url.ts";
import { type EngineServer, queueOptions, relayOptions, type ServerFacts, workerOptions } from "./server.ts";

const PREFIX = "troupe";

/** A connection on which nothing arrives for so long, although something is due, is replaced: half of it may be cut. */
const SILENCE_MS = 15_000;

export async function openRedis(
  bullmq: typeof import("bullmq"),
  { Redis }: Pick<typeof import("ioredis"), "Redis">,
  { url }: EngineUrl,
): Promise<EngineServer> {
  const options = {
    maxRetriesPerRequest: null,
    lazyConnect: true,
    connectTimeout: 5000,
    socketTimeout: SILENCE_MS,
    retryStrategy: (times: number) => Math.min(100 * times, 1000),
  };
  const client = new Redis(url.href, options);
  const troubled: Array<() => void> = [];
  let lastError: Error | undefined;
  client.on("error", (error) => {
    lastError = error;
  });
  client.on("close", () => {
    for (const listener of troubled) listener();
  });
  const connection = { connection: client, prefix: PREFIX, skipVersionCheck: true };
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw lastError ?? error;
  }
  return {
    openQueue: (name) => new bullmq.Queue(name, { ...connection, ...queueOptions }),
    openWorker: (name, lockMs) => new bullmq.Worker(name, null, { ...connection, ...workerOptions(lockMs) }),
    openRelay: () => new bullmq.Relay({ ...connection, ...relayOptions }),
    // A command would wait for the connection. It is a write that changes nothing: a server whose memory is full is as good as away.
    async ping() {
      if (client.status !== "ready") throw lastError ?? new Error("The connection to Redis is closed.");
      await client.setrange(`${PREFIX}:ping`, 0, "");
    },
    onTrouble: (listener) => void troubled.push(listener),
    async readFacts() {
      return parseInfo(await client.info());
    },
    async listQueues(prefix) {
      const names = new Set<string>();
      for await (const keys of client.scanStream({ match: `${PREFIX}:${prefix}*:meta`, count: 1000 }))
        for (const key of keys as string[]) names.add(key.split(":")[1] ?? "");
      return [...names].sort();
    },
    async close() {
      client.disconnect();
    },
  };
}

/** Reads the answer to `INFO`, which is allowed to users who may not read the configuration. */
export function parseInfo(info: string): ServerFacts {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const valkey = field("valkey_version");
  const version = valkey ?? field("redis_version") ?? "unknown";
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const onDisk = field("aof_enabled");
  return {
    product: valkey === undefined ? "Redis" : "Valkey",
    version,
    isSupported: major > 6 || (major === 6 && minor >= 2),
    oldest: "6.2",
    keepsOnDisk: onDisk === undefined ? null : onDisk === "1",
    eviction: field("maxmemory_policy") ?? null,
  };
}
