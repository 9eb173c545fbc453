import { errorMessage } from "../lib/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { watchInterrupts } from "./interrupts.ts";
import type { CliIO } from "./io.ts";

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
