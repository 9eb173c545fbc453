import type { Clock } from "../lib/clock.ts";
import type { ToolEnd } from "./bind-tool.ts";

/**
 * Runs a library user's call. At its deadline its signal is aborted and the result says so; whatever the tool does after
 * that is ignored.
 */
export async function runTimed(
  name: string,
  timeoutMs: number,
  { clock, signal }: { readonly clock: Pick<Clock, "after">; readonly signal: AbortSignal },
  run: (signal: AbortSignal) => Promise<ToolEnd>,
): Promise<ToolEnd> {
  const deadline = new AbortController();
  const late = Promise.withResolvers<ToolEnd>();
  const withdraw = clock.after(timeoutMs, () => {
    const reason = `${name} did not return within ${timeoutMs / 1_000} s`;
    deadline.abort(new Error(`${reason}.`));
    const content = `${reason}. Its signal was aborted and its result is unknown; part of its work may be done. Check that before you call ${name} again.`;
    late.resolve({ content, isError: true, overdue: true });
  });
  // The timer of a stopped agent would outlive the session.
  signal.addEventListener("abort", withdraw, { once: true });
  try {
    const result = run(AbortSignal.any([signal, deadline.signal]));
    result.catch(() => {});
    return await Promise.race([result, late.promise]);
  } finally {
    withdraw();
    signal.removeEventListener("abort", withdraw);
  }
}
