import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from "../../tools/bash.ts";

/** Milliseconds after a command's timeout in which the process host may still be ending its processes. */
const HOST_PATIENCE_MS = 10_000;

/**
 * Returns the milliseconds after which a call is overdue. Calls in the agent's own thread have a deadline; what the
 * supervisor does for it has none: it may wait for a user, a child or another machine, which end by themselves (A22).
 */
export function callDeadline(
  call: {
    readonly tool: string;
    readonly input: unknown;
    readonly local: boolean;
    /** Enforced by the thread itself; absent if it has none. */
    readonly timeoutMs?: number | undefined;
  },
  toolMs: number,
): number | null {
  if (!call.local) return null;
  if (call.timeoutMs !== undefined) return call.timeoutMs + HOST_PATIENCE_MS;
  if (call.tool !== "Bash") return toolMs;
  return Math.min(timeoutOf(call.input) ?? DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS) + HOST_PATIENCE_MS;
}

function timeoutOf(input: unknown): number | null {
  if (typeof input !== "object" || input === null || !("timeout" in input)) return null;
  return typeof input.timeout === "number" && input.timeout >= 1 ? input.timeout : null;
}
