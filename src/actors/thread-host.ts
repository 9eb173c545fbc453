import { MessageChannel } from "node:worker_threads";
import { Piscina } from "piscina";
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

/**
 * Actors in worker threads. The pool's settings are those that were measured not to hang: the file is named
 * per task (a pool-level file that throws hangs every run), one thread at least is kept (an empty pool may
 * never drain its queue), no Atomics (they block the idle thread's event loop), one task per thread.
 */
export function threadHost(options: ThreadHostOptions): ActorHost {
  let pool: Piscina<WorkerTask, WorkerAnswer> | undefined;
  const opened = () => {
    pool ??= openPool(options);
    return pool;
  };
  const entry = options.entry ?? ENTRY;
  /** Tasks in threads or on their way to one; a thread that warms up will be idle soon. */
  let acting = 0;
  let warming = 0;

  return {
    start(start) {
      const handle = startIn(opened(), entry, start);
      acting += 1;
      handle.exited.then(() => {
        acting -= 1;
      });
      return handle;
    },
    warm(count) {
      const threads = opened();
      const up = () => {
        warming -= 1;
      };
      for (
        let spare = Math.max(threads.threads.length, acting + warming) - acting;
        spare < count;
        spare += 1
      ) {
        warming += 1;
        // A thread that cannot warm up cannot start either; the actor that needs it says so.
        threads.run({ type: "warm" }, { filename: entry }).then(up, up);
      }
    },
    async close() {
      await pool?.destroy();
    },
  };
}

function openPool({ maxThreads, onFault }: ThreadHostOptions): Piscina<WorkerTask, WorkerAnswer> {
  const pool: Piscina<WorkerTask, WorkerAnswer> = new Piscina({
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

function startIn(pool: Piscina<WorkerTask, WorkerAnswer>, entry: string, start: ActorStart): ActorHandle {
  const services = new MessageChannel();
  const mail = new MessageChannel();
  serveServices(start.services, services.port1);
  const mailbox: Mailbox<FromAgent, ToAgent> = portMailbox(mail.port1, {
    incoming: FromAgent,
    ...(start.onDeadLetter ? { onDeadLetter: start.onDeadLetter } : {}),
  });
  const ending = new AbortController();
  const task: WorkerTask = {
    type: "act",
    spec: start.spec,
    services: services.port2,
    mail: mail.port2,
    model: start.model,
  };
  const transferList = [services.port2, mail.port2, start.model];
  const exited = pool
    .run(task, { filename: entry, signal: ending.signal, transferList })
    .then(exitOfAnswer, (error: unknown) => exitOfError(error, ending.signal))
    .finally(() => {
      // A thread that was ended before it took its task never saw the other ends.
      for (const port of [services.port1, mail.port1, ...transferList]) port.close();
    });
  return { mail: mailbox, exited, terminate: () => ending.abort() };
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
