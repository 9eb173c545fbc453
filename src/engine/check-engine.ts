import { randomBytes, randomUUID } from "node:crypto";
import { type Clock, systemClock, within } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { BullmqCarrier } from "./bullmq/bullmq-carrier.ts";
import type { EngineServer } from "./bullmq/server.ts";
import type { Carrier } from "./carrier.ts";
import { type EngineUrl, parseEngineUrl } from "./engine-url.ts";
import { type EngineOptions, openServer } from "./open-engine.ts";

export interface EngineCheck {
  readonly what: string;
  readonly state: "ok" | "warning" | "failed";
  readonly figure: string;
  /** What the user can do about it. */
  readonly todo?: string;
}

const CHECK_POOL = "engine.check";
const TRIPS = 20;
const ARRIVES_MS = 10_000;

/** A turn has up to six messages: a slower engine is felt at every one. */
const SLOW_TRIP_MS = 50;

/** Tries everything that runners need of an engine. Leaves nothing behind. */
export async function checkEngine(url: string, options: EngineOptions = {}): Promise<readonly EngineCheck[]> {
  let server: EngineServer;
  let engine: EngineUrl;
  try {
    engine = parseEngineUrl(url, options.password);
    server = await openServer(engine);
  } catch (error) {
    return [{ what: "connection", state: "failed", figure: errorMessage(error) }];
  }
  const clock = options.clock ?? systemClock;
  const carrier = new BullmqCarrier(server, clock);
  try {
    const work = { carrier, clock };
    return [
      { what: "connection", state: "ok", figure: engine.shown },
      encryption(engine),
      ...(await tryCheck("server", () => readServer(server))),
      ...(await tryCheck("round trip", () => tryTrips(work))),
      ...(await tryCheck("blob", () => tryBlob(work))),
      ...(await tryCheck("attempt", () => tryAttempt(work))),
    ];
  } finally {
    await carrier.close();
  }
}

interface Work {
  readonly carrier: Carrier;
  readonly clock: Clock;
}

async function tryCheck(what: string, work: () => Promise<EngineCheck[]>): Promise<EngineCheck[]> {
  return work().catch((error: unknown) => [{ what, state: "failed", figure: errorMessage(error) }]);
}

function encryption({ isEncrypted }: EngineUrl): EngineCheck {
  return {
    what: "TLS",
    state: "ok",
    figure: isEncrypted ? "yes" : "no, and not needed: the engine is on this machine",
  };
}

async function readServer(server: EngineServer): Promise<EngineCheck[]> {
  const { product, version, isSupported, oldest, keepsOnDisk, eviction } = await server.readFacts();
  const isRedis = product !== "PostgreSQL";
  const setting = isRedis ? "appendonly yes" : "fsync = on, synchronous_commit = on";
  const checks: EngineCheck[] = [
    isSupported
      ? { what: "version", state: "ok", figure: `${product} ${version}` }
      : {
          ...{ what: "version", state: "failed", figure: `${product} ${version}` },
          todo: `Update ${product} to ${oldest} or later.`,
        },
    keepsOnDisk === true
      ? { what: "persistence", state: "ok", figure: setting }
      : {
          ...{
            what: "persistence",
            state: "warning",
            figure: keepsOnDisk === null ? "unknown" : `not ${setting}`,
          },
          todo: `Set ${setting}: after a restart without it, attempts that wait must be offered again.`,
        },
  ];
  if (eviction === null || eviction === "noeviction") {
    if (eviction !== null) checks.push({ what: "eviction", state: "ok", figure: eviction });
  } else
    checks.push({
      ...{ what: "eviction", state: "failed", figure: eviction },
      todo: "Set maxmemory-policy noeviction: this policy drops attempts and blobs when the memory is full.",
    });
  return checks;
}

async function tryTrips({ carrier, clock }: Work): Promise<EngineCheck[]> {
  const topic = `check.${randomUUID()}`;
  let hear: (text: string) => void = () => {};
  const listening = await carrier.listen(topic, (text) => hear(text));
  const times: number[] = [];
  for (let trip = 0; trip < TRIPS; trip += 1) {
    const began = clock.now();
    const heard = new Promise<void>((resolve) => {
      hear = (text) => text.startsWith(`${trip} `) && resolve();
    });
    await carrier.publish(topic, `${trip} ${"x".repeat(4096)}`);
    await arrives(clock, heard, "A message");
    times.push(clock.now() - began);
  }
  await listening.close();
  times.sort((a, b) => a - b);
  const [p50 = 0, p95 = 0] = [0.5, 0.95].map((share) => times[Math.floor(TRIPS * share)]);
  const figure = `p50 ${ms(p50)}, p95 ${ms(p95)} for 4 KiB`;
  if (p50 <= SLOW_TRIP_MS) return [{ what: "round trip", state: "ok", figure }];
  const todo =
    "Each turn of an agent waits for several of these: use an engine nearer to the runners, or Redis.";
  return [{ what: "round trip", state: "warning", figure, todo }];
}

async function tryBlob({ carrier, clock }: Work): Promise<EngineCheck[]> {
  const bytes = randomBytes(1024 * 1024);
  const began = clock.now();
  const name = await carrier.putBlob(randomUUID(), bytes);
  try {
    const got = await carrier.getBlob(name);
    if (got === null || !bytes.equals(got))
      throw new Error("The engine returned other bytes than it was given.");
  } finally {
    await carrier.dropBlob(name);
  }
  return [{ what: "blob", state: "ok", figure: `1 MiB there and back in ${ms(clock.now() - began)}` }];
}

async function tryAttempt({ carrier, clock }: Work): Promise<EngineCheck[]> {
  const id = randomUUID();
  const began = clock.now();
  const taken = Promise.withResolvers<void>();
  const taking = carrier.take([CHECK_POOL], 1, async (attempt) => {
    if (attempt.id === id) taken.resolve();
  });
  try {
    await carrier.offer(CHECK_POOL, { id, body: "" });
    await arrives(clock, taken.promise, "An attempt");
  } finally {
    await taking.close();
    await carrier.withdraw(CHECK_POOL, id);
  }
  return [{ what: "attempt", state: "ok", figure: `queued and taken in ${ms(clock.now() - began)}` }];
}

async function arrives(clock: Clock, what: Promise<void>, name: string): Promise<void> {
  if (!(await within(clock, ARRIVES_MS, what)))
    throw new Error(`${name} did not arrive within ${ARRIVES_MS / 1000} s.`);
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
