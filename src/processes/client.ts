import { type Clock, systemClock } from "../mailbox/clock.ts";
import { cleanEnvironment, commandEnvironment } from "./environment.ts";
import { HostConnection } from "./host-connection.ts";
import type { Processes, RunWatch } from "./processes.ts";
import type { ProcessRequest, ProcessResult } from "./requests.ts";
import { cancelledEarly, notStarted } from "./results.ts";

export interface ProcessesOptions {
  /** The person's environment. Every child gets what of it is harmless; requests can add what is no key. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What children get of it besides (`troupe.commandEnv`): names, or beginnings of names followed by `*`. */
  readonly commandEnv?: readonly string[];
  readonly clock?: Clock;
}

/**
 * The process host and what it runs, owned by the caller until `close()`. The host starts at the first run,
 * or at `warm()`; when it dies, pending runs end as `unknown` and the next run starts a new one.
 */
export function startProcesses(options: ProcessesOptions): Processes {
  const env = commandEnvironment(options.env, options.commandEnv);
  const clock = options.clock ?? systemClock;
  let connection: HostConnection | undefined;
  let closing: Promise<void> | undefined;

  function connected(): HostConnection {
    if (!connection?.alive) connection = new HostConnection(env, clock);
    return connection;
  }

  async function run(
    request: ProcessRequest,
    signal?: AbortSignal,
    watch: RunWatch = {},
  ): Promise<ProcessResult> {
    if (signal?.aborted) return cancelledEarly(request.id);
    if (closing) return notStarted(request.id, `${request.file} was not started: the session is closing.`);
    try {
      const clean = request.env ? { ...request, env: cleanEnvironment(request.env) } : request;
      return await connected().run(clean, signal, watch);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return notStarted(
        request.id,
        `${request.file} was not started: the process host cannot start (${why}).`,
      );
    }
  }

  return {
    warm() {
      if (!closing) connected();
    },
    run,
    follow(id, from, words) {
      connection?.follow(id, from, words);
    },
    async stopOwner(owner) {
      await connection?.stop(owner);
    },
    close() {
      closing ??= connection?.end() ?? Promise.resolve();
      return closing;
    },
  };
}
