import { errorMessage } from "../lib/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import type { CliIO } from "./process-io.ts";

/** Milliseconds in which a program that must end has ended (fault 63), and until when agents may still end. */
const GONE_MS = 900;
const AGENTS_MS = 400;
/** Milliseconds that a second signal leaves: the session closes, and its SessionEnd hooks may run. */
export const LAST_CHANCE_MS = 500;

const signals = [
  ["SIGINT", exitCodes.interrupted, "It was interrupted (SIGINT)."],
  ["SIGTERM", exitCodes.terminated, "It was stopped (SIGTERM)."],
  ["SIGHUP", exitCodes.hungUp, "Its terminal went away (SIGHUP)."],
] as const;

/** Calls back on each signal that asks the program to stop. The answer withdraws it. */
export function onStopSignals(
  io: Pick<CliIO, "onSignal">,
  call: (code: number, reason: string) => void,
): () => void {
  const withdrawals = signals.map(([signal, code, reason]) => io.onSignal(signal, () => call(code, reason)));
  return () => {
    for (const withdraw of withdrawals) withdraw();
  };
}

/**
 * The first SIGINT asks everything to stop, without a limit on time; SIGTERM and SIGHUP come from programs that do not
 * wait, so the process ends within a second. A second signal abandons what has not ended; a third ends the process.
 * `leave` ends the process.
 */
export function watchInterrupts(
  io: Pick<CliIO, "onSignal" | "clock">,
  { note, leave }: { note(line: string): void; leave(code: number): void },
) {
  const stop = new AbortController();
  const hurry = new AbortController();
  let count = 0;
  let firstCode: number | undefined;
  let timers: (() => void)[] = [];
  const cancelTimers = (): void => {
    for (const cancel of timers.splice(0)) cancel();
  };
  const onFirst = (code: number, reason: string): void => {
    firstCode = code;
    const canWait = code === exitCodes.interrupted;
    note(`Stopping; what is known so far follows.${canWait ? " Press Ctrl-C again to quit." : ""}`);
    if (!canWait)
      timers = [io.clock.after(AGENTS_MS, () => hurry.abort()), io.clock.after(GONE_MS, () => leave(code))];
    stop.abort(new Error(reason));
  };
  const withdraw = onStopSignals(io, (code, reason) => {
    count += 1;
    if (count === 1) return onFirst(code, reason);
    if (count > 2) return leave(code);
    cancelTimers();
    hurry.abort();
    timers.push(io.clock.after(LAST_CHANCE_MS, () => leave(code)));
  });
  return {
    /** Aborted by the first signal: everything must stop. */
    // Declarations cannot name the type that is inferred here.
    signal: stop.signal as AbortSignal,
    /** Aborted when nothing may be awaited any longer: what is known is reported now. */
    hurry: hurry.signal as AbortSignal,
    /** The exit code that the first signal asks for. */
    code: () => firstCode,
    /** Signals end the process again. */
    release() {
      cancelTimers();
      withdraw();
    },
  };
}

const CLIENT_GONE = "The client that asked for it has gone.";

export interface ClientServer {
  note(line: string): void;
  /** Ends the process. */
  leave(code: number): void;
  /** Starts to read what the client sends. */
  start(onGone: () => void): Promise<void> | void;
  /**
   * Ends all that runs, and the connection; resolves with false if something did not end in time. `reason` is null if the
   * user wants it stopped; otherwise it can be resumed.
   */
  end(reason: string | null): Promise<boolean>;
}

/** Serves a client on standard input and output until it goes or a signal comes; returns the exit code. */
export async function serveUntilGone(io: CliIO, server: ClientServer): Promise<number> {
  const gone = Promise.withResolvers<void>();
  const interrupts = watchInterrupts(io, server);
  interrupts.signal.addEventListener("abort", () => gone.resolve(), { once: true });
  try {
    await server.start(gone.resolve);
    await gone.promise;
    const isInterrupted = interrupts.code() === exitCodes.interrupted;
    const reason = isInterrupted ? null : errorMessage(interrupts.signal.reason ?? new Error(CLIENT_GONE));
    const isClosed = await server.end(reason);
    // An open pipe would keep the process alive.
    io.stdin.destroy();
    const code = interrupts.code() ?? exitCodes.done;
    if (!isClosed) io.leave(code);
    return code;
  } finally {
    interrupts.release();
  }
}
