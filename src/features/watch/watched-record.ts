import { type ActorHandle, UNKNOWN_VITALS } from "../../actors/hosts.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { Lifecycle } from "../../supervisor/lifecycle.ts";
import { callDeadline } from "./call-deadline.ts";
import type { WatchedActor } from "./watched-actor.ts";

/** What of an actor's record a watch reads. */
export interface WatchedRecord {
  readonly id: ActorId;
  readonly run: number;
  readonly spec: { readonly type: string; readonly description: string };
  readonly lifecycle: Lifecycle;
  readonly handle: Pick<ActorHandle, "vitals"> | null;
  readonly startedAt: number | null;
  readonly deadlineMs: number | null;
  readonly calls: ReadonlyMap<
    CallId,
    {
      readonly tool: string;
      readonly title: string;
      readonly input: unknown;
      readonly startedAt: number;
      readonly local: boolean;
      readonly timeoutMs?: number;
    }
  >;
  /** The reply whose calls run now; null: the model's turn. */
  readonly reply: object | null;
  /** Its wait for the model, as it is shown. */
  readonly wait: { readonly until: number } | null;
  /** The last letter, question, or word of the gateway about it. */
  readonly lastSignAt: number;
  /** Questions of it that the supervisor has not answered yet. */
  readonly answering: number;
}

/** An actor as a watch sees it. `toolMs`: what a call in its own thread may take. */
export function watched(record: WatchedRecord, toolMs: number): WatchedActor {
  const { id, run, spec, lifecycle, handle, startedAt, deadlineMs } = record;
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
        deadlineMs: callDeadline({ tool, input, local, timeoutMs }, toolMs),
      };
    }),
    silentSince: silentSince(record),
    vitals: () => handle?.vitals() ?? UNKNOWN_VITALS,
  };
}

/** While a wait is shown the person knows; what does not come after it is missed again. */
function silentSince({ reply, calls, answering, wait, lastSignAt }: WatchedRecord): number | null {
  if (reply !== null || calls.size > 0 || answering > 0) return null;
  return Math.max(lastSignAt, wait?.until ?? lastSignAt);
}
