import type { Vitals } from "../../actors/hosts.ts";
import type { ActorId, CallId } from "../../mailbox/ids.ts";
import type { Lifecycle } from "../../supervisor/lifecycle.ts";

/** Added to the longest retry and silence of a request, before the gateway itself ends it. */
const SILENCE_MARGIN_MS = 30_000;

export interface WatchLimits {
  /** Milliseconds that a thread's loop may block before the user is warned. */
  readonly stuckWarnMs: number;
  /** Milliseconds after which it is ended. An actor late in another way is ended as long after its warning. */
  readonly stuckMs: number;
  /** Milliseconds of the model's silence before the user is warned. */
  readonly silentMs: number;
}

/** Returns the limit of silence. The gateway ends a request by itself; this covers a lost response. */
export function silenceOf({ idleMs, patienceMs }: { idleMs: number; patienceMs: number }): number {
  return idleMs + patienceMs + SILENCE_MARGIN_MS;
}

/**
 * The problem of an actor, as data. `forMs`: its duration so far; `leftMs`: until the actor is ended, 0 or less for
 * now.
 */
export type Finding = { readonly forMs: number; readonly leftMs: number } & (
  | /** Its thread's loop does not turn. `call`: the newest that runs in it, or null between two calls. */
  { readonly type: "blocked"; readonly call: WatchedCall | null }
  /** The model's reply does not arrive: a closed port, a lost channel. */
  | { readonly type: "silent" }
  /** Its runner is not heard of: it may be at work where it cannot be reached, so it is not ended for it. */
  | { readonly type: "away" }
  | { readonly type: "call-overdue"; readonly call: WatchedCall; readonly deadlineMs: number }
  | { readonly type: "agent-deadline"; readonly deadlineMs: number }
  | { readonly type: "session-deadline"; readonly deadlineMs: number }
);

/** Returns the awake milliseconds from a moment until now. */
export type Since = (at: number) => number;

/** The warning before a deadline, or the last tenth of a shorter one. */
const DEADLINE_WARN_MS = 60_000;

const NOTHING: readonly Finding[] = [];

/** Checks one actor and returns its most urgent problem. Pure except for reading its vitals. */
export function judgeActor(
  actor: WatchedActor,
  now: number,
  since: Since,
  limits: WatchLimits,
): readonly Finding[] {
  switch (actor.state) {
    case "ended":
    // Its grace period ends it.
    case "cancelling":
      return NOTHING;
    case "queued":
    case "starting":
    case "running":
    case "waiting":
    case "returning": {
      const vitals = actor.vitals();
      const found = (
        vitals.type === "away"
          ? [{ type: "away", forMs: since(now - vitals.sinceMs), leftMs: Number.POSITIVE_INFINITY } as const]
          : [
              blocked(actor, vitals, now, since, limits),
              silent(actor, vitals, now, since, limits),
              ...actor.calls.map((call) => overdue(call, since, limits)),
            ]
      )
        .concat(late(actor, since))
        .filter((finding) => finding !== null);
      return found.length === 0 ? NOTHING : found.sort((a, b) => a.leftMs - b.leftMs);
    }
    default:
      return actor.state satisfies never;
  }
}

/** Checks a deadline of the whole session, from `startedAt`. */
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
  if (vitals.type !== "thread") return null;
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
  // A waiting actor has no slot and sends no requests. A starting one is silent only once it has a thread.
  if (silentSince === null || (state !== "running" && state !== "starting")) return null;
  if (state === "starting" && vitals.type === "unknown") return null;
  const boardedAt = vitals.type === "thread" ? now - vitals.boardedMs : silentSince;
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

/** Returns the milliseconds between a warning and the end. */
function warned({ stuckMs, stuckWarnMs }: WatchLimits): number {
  return Math.max(0, stuckMs - stuckWarnMs);
}

/** What a watch knows of one actor. All times are of the session's monotonic clock, in milliseconds. */
export interface WatchedActor {
  readonly id: ActorId;
  /** Counts its runs: findings of an earlier one are dropped. */
  readonly run: number;
  readonly type: string;
  readonly description: string;
  readonly state: Lifecycle["state"];
  /** When this run got its first thread, or null. */
  readonly startedAt: number | null;
  /** Milliseconds from `startedAt`, or null. */
  readonly deadlineMs: number | null;
  /** Its running calls, oldest first. */
  readonly calls: readonly WatchedCall[];
  /**
   * Since when it is the model's turn without any sign of life: no message, no request, no notice of the gateway that
   * its request is queued, sent or being answered. Null if it is not the model's turn, or its wait is shown.
   */
  readonly silentSince: number | null;
  readonly vitals: () => Vitals;
}

export interface WatchedCall {
  readonly id: CallId;
  readonly tool: string;
  readonly title: string;
  readonly startedAt: number;
  /** True if it runs in the agent's own thread. */
  readonly local: boolean;
  /** Milliseconds it may take; null for no limit, as for a wait on a user or a child. */
  readonly deadlineMs: number | null;
}
