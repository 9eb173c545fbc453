import type { SupervisorEvent } from "../events/event.ts";
import type { Clock } from "../lib/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import { shortDate, shortTime } from "../terminal/figures.ts";
import { safeLine } from "../terminal/safe-text.ts";

type PausedEvent = Extract<SupervisorEvent, { type: "paused" }>;
type Waiting = Extract<SupervisorEvent, { type: "waiting" }>;

/** Which agents wait for the model, and until when. */
export function createWaits() {
  const waits = new Map<
    ActorId,
    { readonly reason: string; readonly attempt: number | null; readonly until: number }
  >();
  const current = (now: number) => [...waits.values()].filter(({ until }) => until > now);
  return {
    /** True if no equal wait is known: 32 agents that wait for one server print one line. */
    add({ actor, reason, attempt, ms }: Waiting, now: number): boolean {
      const equal = current(now).some((wait) => wait.reason === reason && wait.attempt === attempt);
      waits.set(actor, { reason, attempt, until: now + ms });
      return !equal;
    },
    /** The agent no longer waits. */
    end: (actor: ActorId) => void waits.delete(actor),
    /** The current countdown, or undefined if no agent waits. */
    line(now: number): string | undefined {
      const [next] = current(now).sort((a, b) => a.until - b.until);
      return next && waitLine(next.reason, next.until - now, next.attempt);
    },
  };
}

/** "HOST limits the rate (429); claude-x is paused until 2026-11-27 05:00 UTC (2 h 59 min), then …": once for all agents. */
export function pauseLine({ model, until, reason }: PausedEvent, clock: Pick<Clock, "date">): string {
  const left = shortTime(Date.parse(until) - Date.parse(clock.date()));
  return `${withoutAdvice(reason)}; ${safeLine(model)} is paused until ${shortDate(until)} (${left}), then the agents that wait for it go on by themselves.`;
}

/**
 * "The model server answered 529 (overloaded); trying again in 4 s (attempt 3)". A reason's last clause
 * is advice for when it is given up; until then it is left out.
 */
export function waitLine(reason: string, ms: number, attempt: number | null): string {
  const words = withoutAdvice(reason);
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (attempt === null) return `${words}; giving up in ${seconds} s`;
  return `${words}; trying again in ${seconds} s (attempt ${attempt})`;
}

function withoutAdvice(reason: string): string {
  return safeLine(reason).replace(/(?:; [^;]*)?[\s.;,]*$/, "");
}
