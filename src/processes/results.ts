import type { RunResult } from "../mailbox/runs.ts";

/** Returns the result of a run that never became a process. */
export function notStarted(id: string, reason: string, durationMs = 0): RunResult {
  return { ...withoutOutput(id, durationMs), outcome: "not-started", reason };
}

export function cancelledEarly(id: string): RunResult {
  return { ...withoutOutput(id, 0), outcome: "cancelled", reason: "Cancelled before it was started." };
}

/** Returns the result of a child that may have done all of its work or none. */
export function unknown(id: string, reason: string, durationMs: number): RunResult {
  return { ...withoutOutput(id, durationMs), outcome: "unknown", reason };
}

function withoutOutput(id: string, durationMs: number): Omit<RunResult, "outcome"> {
  return { id, exitCode: null, signal: null, stdout: "", stderr: "", truncated: false, durationMs };
}
