import { availableParallelism } from "node:os";
import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
import { systemClock } from "../mailbox/clock.ts";
import { type Mailbox, portMailbox } from "../mailbox/mailbox.ts";
import { FromAgent, type ToAgent } from "../mailbox/messages.ts";
import { serveServices } from "../mailbox/service-lane.ts";
import type { ActorHandle, ActorHost, ActorStart, Exit } from "./hosts.ts";
import type { WorkerAnswer, WorkerTask } from "./worker.ts";

export interface ThreadHostOptions {
  /** As many threads at most; further actors wait for one. */
  readonly maxThreads: number;
  /** The file a thread runs; another one is for tests of actors that cannot start. */
  readonly entry?: string;
  /** Called with faults of threads that had no actor. */
  readonly onFault: (message: string) => void;
}

/** In dist all bundles lie in one folder; in development the sources run as they are. */
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./agent-thread.js", import.meta.url)
  .href;

/** A thread that takes longer than this to come up is stuck, and nobody waits for it any more. */
const BOOT_MS = 1_000;

type Pool = Piscina<WorkerTask, WorkerAnswer>;

/**
 * Actors in worker threads. An actor takes an idle thread, or one boots for it. No more boot at a time than
 * there are cores: together they would all be as late as the last one, and their first requests would leave
 * at once. Spares boot one by one, and only while no actor waits for a thread.
 */
export function threadHost(options: ThreadHostOptions): ActorHost {
  const entry = options.entry ?? ENTRY;
  const atOnce = availableParallelism();
  const line = new Set<Actor>();
  let pool: Pool | undefined;
  /** Tasks in threads, or on their way to one. */
  let busy = 0;
  let booting = 0;
  let spares = 0;
  let closed = false;

  /** Counts a thread as booting until `up`; answers what must be called then. */
  const boots = (): (() => void) => {
    booting += 1;
    let counted = true;
    const up = () => {
      withdraw();
      if (!counted) return;
      counted = false;
      booting -= 1;
      if (pool) admit(pool);
    };
    const withdraw = systemClock.after(BOOT_MS, up);
    return up;
  };

  const board = (actor: Actor, threads: Pool, boot: boolean) => {
    line.delete(actor);
    // This is what they were wanted for.
    spares = Math.max(0, spares - 1);
    busy += 1;
    if (boot) actor.onUp(boots());
    actor.run(threads);
    void actor.handle.exited.then(() => {
      busy -= 1;
      admit(threads);
    });
  };

  const bootSpare = (threads: Pool, idle: number) => {
    const up = boots();
    // Each idle thread takes one task, too; only the last one needs a new thread.
    for (let task = 0; task <= idle; task += 1) {
      busy += 1;
      const settled = () => {
        busy -= 1;
        if (task === idle) up();
        else admit(threads);
      };
      // A thread that cannot warm up cannot start either; the actor that needs it says so.
      threads.run({ type: "warm" }, { filename: entry }).then(settled, settled);
    }
  };

  const admit = (threads: Pool) => {
    if (closed) return;
    const idle = () => threads.threads.length - busy;
    for (const actor of line) {
      if (idle() > 0) board(actor, threads, false);
      else if (booting < atOnce && threads.threads.length < options.maxThreads) board(actor, threads, true);
      else return;
    }
    if (idle() >= spares) spares = 0;
    else if (booting === 0) bootSpare(threads, idle());
  };

  return {
    start(start) {
      const actor = prepare(entry, start);
      if (pool === undefined) {
        pool = openPool(options);
        // The one thread it keeps is booting.
        board(actor, pool, true);
      } else {
        line.add(actor);
        void actor.handle.exited.then(() => line.delete(actor));
        admit(pool);
      }
      return actor.handle;
    },
    warm(count) {
      spares = count;
      pool ??= openPool(options);
      admit(pool);
    },
    async close() {
      closed = true;
      for (const { handle } of line) handle.terminate();
      await pool?.destroy();
    },
  };
}

/**
 * The pool's settings are those that were measured not to hang: the file is named per task (a pool-level
 * file that throws hangs every run), one thread at least is kept (an empty pool may never drain its queue),
 * no Atomics (they block the idle thread's event loop), one task per thread.
 */
function openPool({ maxThreads, onFault }: ThreadHostOptions): Pool {
  const pool: Pool = new Piscina({
    minThreads: 1,
    maxThreads,
    idleTimeout: 30_000,
    concurrentTasksPerWorker: 1,
    atomics: "disabled",
    recordTiming: false,
    // The agent's thread sees no key and nothing of the person's environment but the compile cache.
    env: process.env["NODE_COMPILE_CACHE"] ? { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] } : {},
    // Containment, not thrift: an agent's runaway heap ends its thread. The young generation must be bounded too:
    // without, 5 of 6 runaway arrays aborted the whole process; with it, none of 18. Buffers still escape.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, codeRangeSizeMb: 16 },
  });
  pool.on("error", (error: unknown) => onFault(error instanceof Error ? error.message : String(error)));
  return pool;
}

/** An actor that has its ports, and a thread as soon as it is its turn. */
interface Actor {
  readonly handle: ActorHandle;
  run(pool: Pool): void;
  /** Called once, when its thread has come up or will not. */
  onUp(up: () => void): void;
}

function prepare(entry: string, start: ActorStart): Actor {
  const services = new MessageChannel();
  const mail = new MessageChannel();
  serveServices(start.services, services.port1);
  const mailbox: Mailbox<FromAgent, ToAgent> = portMailbox(mail.port1, {
    incoming: FromAgent,
    ...(start.onDeadLetter ? { onDeadLetter: start.onDeadLetter } : {}),
  });
  const ending = new AbortController();
  const turn = Promise.withResolvers<Pool | null>();
  const task: WorkerTask = {
    type: "act",
    spec: start.spec,
    services: services.port2,
    mail: mail.port2,
    model: start.model,
  };
  const transferList = [services.port2, mail.port2, start.model];
  const runIn = (pool: Pool): Promise<Exit> =>
    pool
      .run(task, { filename: entry, signal: ending.signal, transferList })
      .then(exitOfAnswer, (error: unknown) => exitOfError(error, ending.signal));
  const exited = turn.promise
    .then((pool): Exit | Promise<Exit> => (pool === null ? { type: "terminated" } : runIn(pool)))
    .finally(() => {
      // A thread that was ended before it took its task never saw the other ends.
      for (const port of [services.port1, mail.port1, ...transferList]) port.close();
    });
  return {
    handle: {
      mail: mailbox,
      exited,
      terminate() {
        ending.abort();
        // One that still waits for its turn has none to come.
        turn.resolve(null);
      },
    },
    run: turn.resolve,
    onUp(up) {
      // Its first letter says where it is, right before its first request.
      mail.port1.once("message", up);
      void exited.then(up);
    },
  };
}

function exitOfAnswer(answer: WorkerAnswer): Exit {
  return answer.ok ? { type: "returned" } : { type: "threw", message: answer.message };
}

function exitOfError(error: unknown, ended: AbortSignal): Exit {
  if (ended.aborted) return { type: "terminated" };
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { type: "out-of-memory" };
  return { type: "died", message: error instanceof Error ? error.message : String(error) };
}
