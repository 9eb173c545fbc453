import type { Vitals } from "../../actors/hosts.ts";
import type { WatchedActor, WatchedCall } from "./watched-actor.ts";

/** Beyond what a request may be retried and be silent for, before the gateway itself gives it up. */
const SILENCE_MARGIN_MS = 30_000;

export interface WatchLimits {
  /** Milliseconds that a thread's loop may stand still before a person is told. */
  readonly stuckWarnMs: number;
  /** Milliseconds after which it is ended. What is late in another way is ended as long after it was told of. */
  readonly stuckMs: number;
  /** Milliseconds of the model's silence before a person is told. */
  readonly silentMs: number;
}

/** The gateway gives a request up by itself; only where it did not, its end was lost on the way. */
export function silenceOf({ idleMs, patienceMs }: { idleMs: number; patienceMs: number }): number {
  return idleMs + patienceMs + SILENCE_MARGIN_MS;
}

/** What is wrong with an actor, as data. `forMs`: so long already; `leftMs`: until it is ended, 0 or less: now. */
export type Finding = { readonly forMs: number; readonly leftMs: number } & (
  | /** Its thread's loop does not turn. `call`: the newest that runs in it; null: between two calls. */
  { readonly type: "blocked"; readonly call: WatchedCall | null }
  /** It is the model's turn, and nothing comes: a closed port, a lane that was lost. */
  | { readonly type: "silent" }
  | { readonly type: "call-overdue"; readonly call: WatchedCall; readonly deadlineMs: number }
  | { readonly type: "agent-deadline"; readonly deadlineMs: number }
  | { readonly type: "session-deadline"; readonly deadlineMs: number }
);

/** Milliseconds from a moment until now, as they count. */
export type Since = (at: number) => number;

/** A person has this long to see it come, or the last tenth of a shorter deadline. */
const DEADLINE_WARN_MS = 60_000;

const NOTHING: readonly Finding[] = [];

/** Looks at one actor: what is wrong with it, the most urgent first. Pure but for the look at its vitals. */
export function judge(
  actor: WatchedActor,
  now: number,
  since: Since,
  limits: WatchLimits,
): readonly Finding[] {
  switch (actor.state) {
    case "ended":
    // It has its grace, which ends it.
    case "cancelling":
      return NOTHING;
    case "queued":
    case "starting":
    case "running":
    case "waiting":
    case "returning": {
      const vitals = actor.vitals();
      const found = [
        blocked(actor, vitals, now, since, limits),
        silent(actor, vitals, now, since, limits),
        ...actor.calls.map((call) => overdue(call, since, limits)),
        late(actor, since),
      ].filter((finding) => finding !== null);
      return found.length === 0 ? NOTHING : found.sort((a, b) => a.leftMs - b.leftMs);
    }
    default:
      return actor.state satisfies never;
  }
}

/** A deadline of the whole session, from `startedAt`. */
export function judgeSession(startedAt: number, deadlineMs: number, since: Since): Finding | null {
  const finding = beforeDeadline(since(startedAt), deadlineMs);
  return finding && { type: "session-deadline", deadlineMs, ...finding };
}

function blocked(
  { calls }: WatchedActor,
  vitals: Vitals,
  now: number,
  since: Since,
  limits: WatchLimits,
): Finding | null {
  if (vitals.type === "unknown") return null;
  const forMs = since(now - vitals.blockedMs);
  if (forMs < limits.stuckWarnMs) return null;
  const call = calls.findLast(({ local }) => local) ?? null;
  return { type: "blocked", call, forMs, leftMs: limits.stuckMs - forMs };
}

function silent(
  { state, silentSince }: WatchedActor,
  vitals: Vitals,
  now: number,
  since: Since,
  limits: WatchLimits,
): Finding | null {
  // What waits has no slot, and asks nothing. What starts is silent only once it has a thread to speak from.
  if (silentSince === null || (state !== "running" && state !== "starting")) return null;
  if (state === "starting" && vitals.type === "unknown") return null;
  const boardedAt = vitals.type === "unknown" ? silentSince : now - vitals.boardedMs;
  const forMs = since(Math.max(silentSince, boardedAt));
  if (forMs < limits.silentMs) return null;
  return { type: "silent", forMs, leftMs: limits.silentMs + warned(limits) - forMs };
}

function overdue(call: WatchedCall, since: Since, limits: WatchLimits): Finding | null {
  const { deadlineMs } = call;
  if (deadlineMs === null) return null;
  const forMs = since(call.startedAt);
  if (forMs < deadlineMs) return null;
  return { type: "call-overdue", call, deadlineMs, forMs, leftMs: deadlineMs + warned(limits) - forMs };
}

function late({ startedAt, deadlineMs }: WatchedActor, since: Since): Finding | null {
  if (startedAt === null || deadlineMs === null) return null;
  const finding = beforeDeadline(since(startedAt), deadlineMs);
  return finding && { type: "agent-deadline", deadlineMs, ...finding };
}

function beforeDeadline(forMs: number, deadlineMs: number): { forMs: number; leftMs: number } | null {
  const leftMs = deadlineMs - forMs;
  return leftMs <= Math.min(DEADLINE_WARN_MS, deadlineMs / 10) ? { forMs, leftMs } : null;
}

/** Milliseconds between a warning and the end. */
function warned({ stuckMs, stuckWarnMs }: WatchLimits): number {
  return Math.max(0, stuckMs - stuckWarnMs);
}
