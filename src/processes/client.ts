import { type Clock, systemClock } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { RESTART_INTENSITY, Restarts } from "../lib/restarts.ts";
import { commandEnvironment, commandsOwn } from "./environment.ts";
import type { SystemUser } from "./helper-process.ts";
import { HostConnection } from "./host-connection.ts";
import {
  cancelledEarly,
  notStarted,
  type Processes,
  type ProcessRequest,
  type ProcessResult,
  type RunWatch,
} from "./processes.ts";

export interface ProcessesOptions {
  /** The user's environment. Every child gets the harmless part; requests can add anything but keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Additional variables for children (`troupe.commandEnv`): names, or prefixes followed by `*`. */
  readonly commandEnv?: readonly string[];
  readonly clock?: Clock;
  /** Whose rights every child has, if not this process's. */
  readonly user?: SystemUser | undefined;
  /** Called once, with a sentence, when the host has died too often to be restarted now. */
  readonly onGivenUp?: (sentence: string) => void;
}

const DIED_TOO_OFTEN = `The process host died more than ${RESTART_INTENSITY.max} times within ${RESTART_INTENSITY.periodMs / 1_000} s, so it is left alone for as long; look for what ends it (memory, a command that kills it)`;

/** The host starts at the first run or `warm()`, and again after its death; if it died too often, runs say so. */
export function startProcesses(options: ProcessesOptions): Processes {
  const env = commandEnvironment(options.env, options.commandEnv);
  const clock = options.clock ?? systemClock;
  let connection: HostConnection | undefined;
  let closing: Promise<void> | undefined;
  const restarts = new Restarts(clock);
  let givenUp = false;

  function connected(): HostConnection | null {
    if (connection?.alive) return connection;
    if (connection !== undefined && !restarts.again()) {
      if (!givenUp) options.onGivenUp?.(`${DIED_TOO_OFTEN}. Until then no command, search or hook can run.`);
      givenUp = true;
      return null;
    }
    givenUp = false;
    connection = new HostConnection(env, clock, options.user);
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
      const clean = request.env ? { ...request, env: commandsOwn(request.env) } : request;
      const host = connected();
      if (host === null) return notStarted(request.id, `${request.file} was not started. ${DIED_TOO_OFTEN}.`);
      return await host.run(clean, signal, watch);
    } catch (error) {
      const why = errorMessage(error);
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
    untime(id) {
      connection?.untime(id);
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
