import { exitCodes } from "./exit-codes.ts";
import type { CliIO } from "./io.ts";

/** What SIGINT and SIGTERM mean while a session runs. */
export interface Interrupts {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** The exit code that the first signal asks for. */
  code(): number | undefined;
  /** Signals end the process again as they do without us. */
  release(): void;
}

/** The first signal asks everything to stop; a second one leaves at once, whatever is open. */
export function watchInterrupts(io: CliIO, note: (line: string) => void): Interrupts {
  const controller = new AbortController();
  let code: number | undefined;
  const on = (signal: "SIGINT" | "SIGTERM", exit: number) =>
    io.onSignal(signal, () => {
      if (code !== undefined) return io.leave(exit);
      code = exit;
      note("Stopping; what is known so far follows. Once more leaves at once.");
      controller.abort(
        new Error(signal === "SIGINT" ? "It was interrupted (SIGINT)." : "It was told to stop (SIGTERM)."),
      );
    });
  const withdrawals = [on("SIGINT", exitCodes.interrupted), on("SIGTERM", exitCodes.terminated)];
  return {
    signal: controller.signal,
    code: () => code,
    release() {
      for (const withdraw of withdrawals) withdraw();
    },
  };
}
