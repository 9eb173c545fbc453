import type { EngineUrl } from "../engine-url.ts";
import { type EngineServer, queueOptions, relayOptions, workerOptions } from "./server.ts";

/** BullMQ's tables have their own schema, which it creates. */
const SCHEMA = "troupe";

const ENDS_MS = 10_000;
const CONNECTS_MS = 5000;

export async function openPostgres(
  bullmq: typeof import("bullmq"),
  { default: pg }: typeof import("pg"),
  { url }: EngineUrl,
): Promise<EngineServer> {
  // Each thing has a pool of its own: a worker and Relay hold one of its connections for as long as they live.
  const connection = {
    connectionString: url.href,
    schema: SCHEMA,
    max: 3,
    keepAlive: true,
    connectionTimeoutMillis: CONNECTS_MS,
    query_timeout: ENDS_MS,
  };
  const troubled: Array<() => void> = [];
  const pool = new pg.Pool({ ...connection, max: 1 });
  pool.on("error", () => {
    for (const listener of troubled) listener();
  });
  const query = async (text: string) => (await pool.query(text)).rows[0] ?? {};
  try {
    await migrate(
      bullmq,
      new pg.Client({ connectionString: url.href, connectionTimeoutMillis: CONNECTS_MS }),
    );
  } catch (error) {
    await pool.end();
    throw error;
  }
  const backend = bullmq.createPostgresBackend;
  return {
    openQueue: (name) => new bullmq.Queue(name, { connection, ...queueOptions }, backend),
    openWorker: (name, lockMs) =>
      new bullmq.Worker(name, null, { connection, ...workerOptions(lockMs) }, backend),
    openRelay: () =>
      new bullmq.Relay({ connection, ...relayOptions, backend: bullmq.createPostgresRelayBackend }),
    ping: () => query("SELECT 1"),
    onTrouble: (listener) => void troubled.push(listener),
    async readFacts() {
      const row = await query(
        "SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
      );
      return {
        product: "PostgreSQL",
        version: row.version,
        isSupported: Number.parseInt(row.version, 10) >= 14,
        oldest: "14",
        keepsOnDisk: row.fsync === "on" && row.commit !== "off",
        eviction: null,
      };
    },
    async listQueues(prefix) {
      const { rows } = await pool.query(
        `SELECT DISTINCT queue FROM ${SCHEMA}.job WHERE starts_with(queue, $1)`,
        [prefix],
      );
      return rows.map(({ queue }) => String(queue)).sort();
    },
    close: () => pool.end(),
  };
}

/** Creates BullMQ's tables, or brings them up to date. Once, and not with the first use of each thing: it takes a while. */
async function migrate(bullmq: typeof import("bullmq"), client: import("pg").Client): Promise<void> {
  client.on("error", () => {});
  await client.connect();
  try {
    await bullmq.runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}
