import { availableParallelism } from "node:os";
import { MessageChannel, type Worker } from "node:worker_threads";
import { Piscina, queueOptionsSymbol } from "piscina";
import { errorMessage } from "../lib/errors.ts";
import { pause, systemClock } from "../mailbox/clock.ts";
import { type Mailbox, portMailbox } from "../mailbox/mailbox.ts";
import { FromAgent, type ToAgent } from "../mailbox/messages.ts";
import { serveServices } from "../mailbox/service-rpc.ts";
import { splitHistory } from "../mailbox/shared-history.ts";
import {
  type ActorHandle,
  type ActorHost,
  type ActorStart,
  type Exit,
  UNKNOWN_VITALS,
  type Vitals,
} from "./hosts.ts";
import { threadVitals } from "./thread-vitals.ts";
import type { WorkerAnswer, WorkerTask } from "./worker.ts";

export interface ThreadHostOptions {
  /** The most threads; further actors wait for one. */
  readonly maxThreads: number;
  /** The file a thread runs; tests of actors that cannot start use another. */
  readonly entry?: string;
  /** Called with faults of threads that had no actor. */
  readonly onFault: (message: string) => void;
}

/** In dist all bundles are in one directory; in development the sources run directly. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./agent-thread.cjs", import.meta.url)
  .href;

/** A thread that takes longer to start counts as stuck and is no longer awaited. */
const BOOT_MS = 1_000;
/**
 * After an actor has started, a spare thread waits this long, or until its first request is sent, before it uses a
 * core.
 */
const REQUEST_MS = 50;
/** A thread inside a blocking system call cannot be ended; `close` waits no longer than this. */
const EXIT_MS = 5_000;
const STUCK =
  "A thread did not end with the session, because a call in it blocks; the program can only exit when that call returns.";

type Pool = Piscina<WorkerTask, WorkerAnswer>;

/** What is starting: threads, those of them that are spares, actors before their first request. */
type OnTheWay = "threads" | "spares" | "actors";

/**
 * Actors in worker threads. An actor takes an idle thread or starts one. At most as many threads start at a time as
 * there are cores: together they would all be as late as the last one, and their first requests would leave together.
 * Spares start one by one, and only while every actor is running.
 */
export function threadHost(options: ThreadHostOptions): ActorHost {
  const entry = options.entry ?? ENTRY;
  const atOnce = availableParallelism();
  const line = new Set<Actor>();
  const actors = new Set<Actor>();
  const onTheWay: Record<OnTheWay, number> = { threads: 0, spares: 0, actors: 0 };
  let pool: Pool | undefined;
  /** Tasks in threads, or queued for one. */
  let busy = 0;
  let wanted = 0;
  let closed = false;
  /** All threads that have not exited: the pool forgets those that it ends. */
  const alive = new Map<Worker, Promise<void>>();
  const know = (thread: Worker) => {
    if (alive.has(thread)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    alive.set(thread, promise);
    thread.once("exit", () => {
      alive.delete(thread);
      resolve();
    });
  };

  /** Counts one more of each until the returned function is called, or until a time limit. */
  const setOff = (threads: Pool, ...kinds: OnTheWay[]): (() => void) => {
    for (const kind of kinds) onTheWay[kind] += 1;
    let arrived = false;
    const arrive = () => {
      withdraw();
      if (arrived) return;
      arrived = true;
      for (const kind of kinds) onTheWay[kind] -= 1;
      admit(threads);
    };
    const withdraw = systemClock.after(BOOT_MS, arrive);
    return arrive;
  };

  const board = (actor: Actor, threads: Pool, boots: boolean) => {
    line.delete(actor);
    // The spare was for this actor.
    wanted = Math.max(0, wanted - 1);
    busy += 1;
    if (boots) void actor.up.then(setOff(threads, "threads"));
    const gone = new AbortController();
    void actor.up.then(() => pause(systemClock, REQUEST_MS, gone.signal)).then(setOff(threads, "actors"));
    actor.run(threads);
    void actor.handle.exited.then(() => {
      gone.abort();
      busy -= 1;
      admit(threads);
    });
  };

  const warmUp = (threads: Pool, up: () => void) => {
    busy += 1;
    const settled = () => {
      busy -= 1;
      up();
      // Also if it took so long that it was no longer counted.
      admit(threads);
    };
    // A thread that cannot warm up cannot start either; the actor that needs it reports that.
    threads.run({ type: "warm" }, { filename: entry }).then(settled, settled);
  };

  const bootSpare = (threads: Pool, idle: number) => {
    // Idle threads take tasks first; only the last of these needs a new one.
    for (let n = 0; n < idle; n += 1) warmUp(threads, () => {});
    warmUp(threads, setOff(threads, "threads", "spares"));
  };

  const admit = (threads: Pool) => {
    if (closed) return;
    const idle = () => threads.threads.length - busy;
    let spares = onTheWay.spares;
    for (const actor of line) {
      if (idle() > 0) board(actor, threads, false);
      else if (spares > 0) spares -= 1;
      else if (onTheWay.threads < atOnce && threads.threads.length < options.maxThreads)
        board(actor, threads, true);
      else return;
    }
    if (idle() >= wanted) wanted = 0;
    else if (onTheWay.threads + onTheWay.actors === 0) bootSpare(threads, idle());
  };

  return {
    start(start) {
      const actor = prepare(entry, start, know);
      actors.add(actor);
      void actor.handle.exited.then(() => actors.delete(actor));
      if (closed) actor.handle.terminate();
      else if (pool === undefined) {
        pool = openPool(options);
        // The one thread it keeps is starting.
        board(actor, pool, true);
      } else {
        line.add(actor);
        void actor.handle.exited.then(() => line.delete(actor));
        admit(pool);
      }
      return actor.handle;
    },
    warm(count) {
      if (closed) return;
      wanted = count;
      if (pool) return admit(pool);
      pool = openPool(options);
      warmUp(pool, setOff(pool, "threads", "spares"));
    },
    load: () => ({ threads: actors.size - line.size, waiting: line.size }),
    async close() {
      closed = true;
      if (pool) {
        // Otherwise the pool replaces its last thread when that exits, even after its own end.
        pool.options.minThreads = 0;
        for (const thread of pool.threads) know(thread);
      }
      for (const { handle } of actors) handle.terminate();
      const withdrawn = new AbortController();
      const gone = Promise.all([pool?.destroy(), ...alive.values()]);
      await Promise.race([gone, pause(systemClock, EXIT_MS, withdrawn.signal)]);
      withdrawn.abort();
      if (alive.size > 0) options.onFault(STUCK);
    },
  };
}

/**
 * Opens a pool with settings that were measured not to hang: the file is named per task (a pool-level file that
 * throws hangs every run), one thread at least is kept (an empty pool may never drain its queue), no Atomics (they
 * block the idle thread's event loop), one task per thread.
 */
function openPool({ maxThreads, onFault }: ThreadHostOptions): Pool {
  /** Threads that take no other task. */
  const lastOnes = new Set<number>();
  const pool: Pool = new Piscina({
    minThreads: 1,
    maxThreads,
    idleTimeout: 30_000,
    concurrentTasksPerWorker: 1,
    atomics: "disabled",
    recordTiming: false,
    // The first idle one, as by default; but this callback alone shows which thread takes which task.
    loadBalancer(task, workers) {
      const worker = workers.find(({ currentUsage, id }) => currentUsage === 0 && !lastOnes.has(id)) ?? null;
      const boarding = task[queueOptionsSymbol];
      if (worker && boarding instanceof Boarding) {
        if (boarding.isLast) lastOnes.add(worker.id);
        boarding.takenBy(worker.id);
      }
      return worker;
    },
    // The agent's thread gets no key, and of the environment only the compile cache.
    env: process.env["NODE_COMPILE_CACHE"] ? { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } : {},
    // Containment, not thrift: an agent's runaway heap ends its thread. The young generation must be bounded too:
    // without, 5 of 6 runaway arrays aborted the whole process; with it, none of 18. Buffers still escape.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16 },
  });
  pool.on("error", (error: unknown) => onFault(errorMessage(error)));
  return pool;
}

/** Passed with a task to the pool, not to the thread. */
class Boarding {
  readonly takenBy: (threadId: number) => void;
  /** True if the thread ends with this task. */
  readonly isLast: boolean;
  constructor(takenBy: (threadId: number) => void, isLast: boolean) {
    this.takenBy = takenBy;
    this.isLast = isLast;
  }
}

/** An actor that has its ports, and a thread in its turn. */
interface Actor {
  readonly handle: ActorHandle;
  run(pool: Pool): void;
  /** Resolves when its thread has started, or cannot start. */
  readonly up: Promise<unknown>;
}

function prepare(entry: string, start: ActorStart, know: (thread: Worker) => void): Actor {
  const services = new MessageChannel();
  const mail = new MessageChannel();
  const pulse = new MessageChannel();
  serveServices(start.services, services.port1);
  const mailbox: Mailbox<FromAgent, ToAgent> = portMailbox(mail.port1, {
    incoming: FromAgent,
    ...(start.onDeadLetter ? { onDeadLetter: start.onDeadLetter } : {}),
  });
  const ending = new AbortController();
  const turn = Promise.withResolvers<Pool | null>();
  const { shared, messages } = splitHistory(start.spec.messages);
  const task: WorkerTask = {
    type: "act",
    spec: { ...start.spec, messages },
    ...(shared === undefined ? {} : { shared }),
    services: services.port2,
    mail: mail.port2,
    model: start.model,
    pulse: pulse.port2,
  };
  const transferList = [services.port2, mail.port2, start.model, pulse.port2];
  let look = (): Vitals => UNKNOWN_VITALS;
  // What a library user's module leaves in a thread, such as a timer that throws, must not reach the next agent.
  const isLast = start.spec.tools.some(({ module }) => module !== undefined);
  let taken: Worker | undefined;
  const runIn = (pool: Pool): Promise<Exit> => {
    const boarding = new Boarding((threadId) => {
      taken = pool.threads.find((thread) => thread.threadId === threadId);
      if (!taken) return;
      know(taken);
      look = threadVitals(taken, pulse.port1, systemClock);
    }, isLast);
    const boards: WorkerTask & { readonly [queueOptionsSymbol]: Boarding } = {
      ...task,
      [queueOptionsSymbol]: boarding,
    };
    return pool
      .run(boards, { filename: entry, signal: ending.signal, transferList })
      .then(exitOfAnswer, (error: unknown) => exitOfError(error, ending.signal))
      .finally(() => (isLast ? taken?.terminate() : undefined));
  };
  const exited = turn.promise
    .then((pool): Exit | Promise<Exit> => (pool === null ? { type: "terminated" } : runIn(pool)))
    .finally(() => {
      look = () => UNKNOWN_VITALS;
      // A thread that was ended before it took its task never saw the other ends.
      for (const port of [services.port1, mail.port1, pulse.port1, ...transferList]) port.close();
    });
  return {
    handle: {
      mail: mailbox,
      exited,
      vitals: () => look(),
      terminate() {
        ending.abort();
        // An actor that still waits for its turn will not get one.
        turn.resolve(null);
      },
    },
    run: turn.resolve,
    // Its first message reports its state, right before its first request.
    up: Promise.race([new Promise((resolve) => mail.port1.once("message", resolve)), exited]),
  };
}

function exitOfAnswer(answer: WorkerAnswer): Exit {
  return answer.ok ? { type: "returned" } : { type: "threw", message: answer.message };
}

function exitOfError(error: unknown, ended: AbortSignal): Exit {
  if (ended.aborted) return { type: "terminated" };
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { type: "out-of-memory" };
  return { type: "died", message: errorMessage(error) };
}
