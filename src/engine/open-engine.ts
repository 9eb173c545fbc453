import { type Clock, systemClock } from "../lib/clock.ts";
import { errorCode, errorMessage } from "../lib/errors.ts";
import { BullmqCarrier } from "./bullmq/bullmq-carrier.ts";
import { openPostgres } from "./bullmq/postgres.ts";
import { openRedis } from "./bullmq/redis.ts";
import type { EngineServer } from "./bullmq/server.ts";
import type { Carrier } from "./carrier.ts";
import { type EngineUrl, parseEngineUrl } from "./engine-url.ts";
import { EngineAwayError } from "./limits.ts";

export interface EngineOptions {
  readonly clock?: Clock;
  /** For a URL without one, so that it is not in the list of processes. */
  readonly password?: string;
  /** Milliseconds after which an attempt that its runner no longer renews is removed (default 120,000). */
  readonly lockMs?: number;
}

/**
 * Connects to an engine. Throws one sentence that says what to do if that is not possible: an `EngineAwayError` if it does
 * not answer, so that it may work later.
 */
export async function openEngine(url: string, options: EngineOptions = {}): Promise<Carrier> {
  return new BullmqCarrier(
    await openServer(parseEngineUrl(url, options.password)),
    options.clock ?? systemClock,
    options.lockMs,
  );
}

export async function openServer(engine: EngineUrl): Promise<EngineServer> {
  const bullmq = await load("bullmq", engine, () => import("bullmq"));
  const open =
    engine.type === "redis"
      ? openRedis(bullmq, await load("ioredis", engine, () => import("ioredis")), engine)
      : openPostgres(bullmq, await load("pg", engine, () => import("pg")), engine);
  return open.catch((error: unknown) => {
    const message = `Cannot connect to the engine ${engine.shown}: ${reason(error)}.`;
    throw isAway(error) ? new EngineAwayError(message) : new Error(message);
  });
}

async function load<T>(name: string, { type }: EngineUrl, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) !== "ERR_MODULE_NOT_FOUND" && errorCode(error) !== "MODULE_NOT_FOUND") throw error;
    const packages = `bullmq@6.7 ${type === "redis" ? "ioredis@6" : "pg@8"}`;
    throw new Error(`The package ${name} is missing. Install it next to troupe: npm install ${packages}`);
  }
}

const AWAY_CODES: ReadonlySet<unknown> = new Set(
  "ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EAI_AGAIN 57P01 57P02 57P03".split(" "),
);

/** A refused password, certificate or database is refused the next time as well. */
function isAway(error: unknown): boolean {
  return AWAY_CODES.has(errorCode(error)) || /closed|terminated|timed? ?out/i.test(errorMessage(error));
}

/** A refused connection to a name with several addresses has no message of its own. */
function reason(error: unknown): string {
  const text = errorMessage(error) || errorCode(error) || "no reason was given";
  return text.replace(/\.$/, "");
}
