import { watchInterrupts } from "../interrupts.ts";
import type { CliIO } from "../io.ts";

/** What a piece of work came to, or the exit code of the signal that stopped it. */
export type Stoppable<T> =
  | { readonly type: "done"; readonly value: T }
  | { readonly type: "stopped"; readonly code: number };

/** Work outside of a session, which has a watch of its own. */
export async function stoppable<T>(
  io: CliIO,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Stoppable<T>> {
  const interrupts = watchInterrupts(io, {
    note: () => {},
    leave: (code) => io.leave(code),
  });
  const stopped = (): Stoppable<T> | null => {
    const code = interrupts.code();
    return code === undefined ? null : { type: "stopped", code };
  };
  try {
    const value = await work(interrupts.signal);
    return stopped() ?? { type: "done", value };
  } catch (error) {
    const end = stopped();
    if (end === null) throw error;
    return end;
  } finally {
    interrupts.release();
  }
}
