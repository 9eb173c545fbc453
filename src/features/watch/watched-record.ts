import { UNKNOWN_VITALS } from "../../actors/hosts.ts";
import { valueAt } from "../../lib/json.ts";
import type { CommandLimits } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { COMMAND_LIMITS } from "../../tools/bash.ts";
import type { WatchedActor } from "./judge.ts";

/** Returns an actor for the watch. `toolMs`: the limit of a call in its own thread. */
export function watched(record: Actor, toolMs: number): WatchedActor {
  const { id, run, spec, lifecycle, handle, startedAt, deadlineMs } = record;
  const { commandLimits } = spec;
  return {
    ...{ id, run, startedAt, deadlineMs, state: lifecycle.state },
    ...{ type: spec.type, description: spec.description },
    calls: [...record.calls].map(([call, { tool, title, input, startedAt, local, timeoutMs }]) => {
      return {
        id: call,
        tool,
        title,
        startedAt,
        local,
        deadlineMs: callDeadline({ tool, input, local, timeoutMs, commandLimits }, toolMs),
      };
    }),
    silentSince: silentSince(record),
    vitals: () => handle?.vitals() ?? UNKNOWN_VITALS,
  };
}

/** Silence starts after a wait that is shown, of which the user knows. */
function silentSince({ reply, calls, answering, wait, lastSignAt }: Actor): number | null {
  if (reply !== null || calls.size > 0 || answering > 0) return null;
  return Math.max(lastSignAt, wait?.until ?? lastSignAt);
}

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
    /** Absent for the defaults. */
    readonly commandLimits?: CommandLimits | undefined;
  },
  toolMs: number,
): number | null {
  if (!call.local) return null;
  if (call.timeoutMs !== undefined) return call.timeoutMs + HOST_PATIENCE_MS;
  if (call.tool !== "Bash") return toolMs;
  const { usual, most } = call.commandLimits ?? COMMAND_LIMITS;
  return Math.min(timeoutOf(call.input) ?? usual, most) + HOST_PATIENCE_MS;
}

function timeoutOf(input: unknown): number | null {
  const timeout = valueAt(input, ["timeout"]);
  return typeof timeout === "number" && timeout >= 1 ? timeout : null;
}
