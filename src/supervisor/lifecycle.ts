import type { Exit } from "../actors/hosts.ts";
import type { Status, Summary } from "../mailbox/messages.ts";

/**
 * The lifecycle of an actor as a pure reducer: `transition(state, event)` returns the next state and the effects.
 * That every spawn ends in exactly one summary (promise 1) is an invariant of this file: `end` is emitted
 * on the one edge into `ended`, and `ended` has no way out.
 */
export type Lifecycle =
  /** Waiting in line for a slot. */
  | { readonly state: "queued" }
  /** Has a slot; it has not requested anything yet. */
  | { readonly state: "starting" }
  | { readonly state: "running" }
  /**
   * Waits for an actor, a person or a timer, and has given its slot back. `waits`: how many calls wait. `passive`: its
   * loop has ended, and another one continues from its records.
   */
  | { readonly state: "waiting"; readonly waits: number; readonly passive: boolean }
  /** Its wait is over; in line, at the head, for a slot. */
  | { readonly state: "returning"; readonly passive: boolean }
  /** Told to stop; `grace` milliseconds later it is ended. `holds`: whether it has a slot. */
  | { readonly state: "cancelling"; readonly stop: StopRequest; readonly holds: boolean }
  | { readonly state: "ended" };

/** Why an agent is being stopped. */
export interface StopRequest {
  readonly status: Extract<Status, "cancelled" | "timed_out">;
  readonly reason: string;
}

/** What is stopped with it: all below it; or (`foreground`) what it waits for, but not what runs in the background. */
export type StopScope = "subtree" | "foreground";

export type ActorEvent =
  | { readonly type: "slot" }
  | { readonly type: "alive" }
  | { readonly type: "wait" }
  | { readonly type: "waited" }
  /** It has answered, and is kept for what may still come: without a loop. */
  | { readonly type: "idle" }
  | { readonly type: "summary"; readonly summary: Summary }
  | { readonly type: "exit"; readonly exit: Exit }
  | { readonly type: "not-started"; readonly reason: string }
  | { readonly type: "stop"; readonly stop: StopRequest }
  | { readonly type: "grace-over" };

/** How the one summary comes to be: the agent wrote it, or the runtime writes it from what was salvaged. */
export type End =
  | { readonly by: "agent"; readonly summary: Summary }
  | { readonly by: "runtime"; readonly status: Status; readonly reason: string };

export type LifecycleEffect =
  | { readonly type: "start" }
  /** Ask for a slot again, ahead of those who never had one. */
  | { readonly type: "return-to-line" }
  | { readonly type: "leave-line" }
  | { readonly type: "release-slot" }
  /** Its loop ends by itself. */
  | { readonly type: "release-loop" }
  /** The waiting call may be answered now. */
  | { readonly type: "return-to-calls" }
  | { readonly type: "send-cancel"; readonly reason: string }
  | { readonly type: "arm-grace" }
  | { readonly type: "terminate" }
  | { readonly type: "end"; readonly end: End };

interface Step {
  readonly next: Lifecycle;
  readonly effects: readonly LifecycleEffect[];
}

/** The state of an actor that has just been asked for; it is in line for a slot. */
export const queued: Lifecycle = { state: "queued" };

export function transition(actor: Lifecycle, event: ActorEvent): Step {
  if (actor.state === "ended") return afterEnd(actor, event);
  switch (event.type) {
    case "slot":
      return granted(actor);
    case "alive":
      return actor.state === "starting" ? to({ state: "running" }) : to(actor);
    case "wait":
      return wait(actor);
    case "waited":
      return waited(actor);
    case "idle":
      return idle(actor);
    case "summary":
      return ended(actor, endOfSummary(actor, event.summary), [{ type: "arm-grace" }]);
    case "exit":
      return exited(actor, event.exit);
    case "not-started":
      return ended(actor, { by: "runtime", status: "failed", reason: event.reason });
    case "stop":
      return stopped(actor, event.stop);
    case "grace-over":
      return graceOver(actor);
    default:
      return event satisfies never;
  }
}

function granted(actor: Lifecycle): Step {
  switch (actor.state) {
    case "queued":
      return to({ state: "starting" }, { type: "start" });
    case "returning":
      return actor.passive
        ? to({ state: "starting" }, { type: "start" }, { type: "return-to-calls" })
        : to({ state: "running" }, { type: "return-to-calls" });
    default:
      // The slot came too late to be of use: it was asked for before the actor was stopped.
      return to(actor, { type: "release-slot" });
  }
}

function wait(actor: Lifecycle): Step {
  switch (actor.state) {
    case "starting":
    case "running":
      return to({ state: "waiting", waits: 1, passive: false }, { type: "release-slot" });
    case "waiting":
      return to({ ...actor, waits: actor.waits + 1 });
    case "returning":
      return to(
        { state: "waiting", waits: 1, passive: actor.passive },
        { type: "leave-line" },
        { type: "return-to-calls" },
      );
    default:
      return to(actor);
  }
}

function idle(actor: Lifecycle): Step {
  switch (actor.state) {
    case "starting":
    case "running":
      return to(
        { state: "waiting", waits: 1, passive: true },
        { type: "release-slot" },
        { type: "release-loop" },
      );
    default:
      return to(actor);
  }
}

/** A call that is answered while others still wait continues; the last one continues when there is a slot. */
function waited(actor: Lifecycle): Step {
  if (actor.state !== "waiting") return to(actor, { type: "return-to-calls" });
  if (actor.waits > 1) return to({ ...actor, waits: actor.waits - 1 }, { type: "return-to-calls" });
  return to({ state: "returning", passive: actor.passive }, { type: "return-to-line" });
}

function stopped(actor: Lifecycle, stop: StopRequest): Step {
  switch (actor.state) {
    case "queued":
      return ended(actor, { by: "runtime", ...stop });
    case "cancelling":
    case "ended":
      return to(actor);
    case "returning":
      if (actor.passive) return ended(actor, { by: "runtime", ...stop });
      return to(
        { state: "cancelling", stop, holds: false },
        { type: "leave-line" },
        { type: "return-to-calls" },
        { type: "send-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    case "waiting":
      // It has no loop that could still write a summary.
      if (actor.passive) return ended(actor, { by: "runtime", ...stop });
      return to(
        { state: "cancelling", stop, holds: false },
        { type: "send-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    case "starting":
    case "running":
      return to(
        { state: "cancelling", stop, holds: true },
        { type: "send-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    default:
      return actor satisfies never;
  }
}

function graceOver(actor: Lifecycle): Step {
  if (actor.state !== "cancelling") return to(actor);
  return ended(actor, { by: "runtime", ...actor.stop }, [{ type: "terminate" }]);
}

/** Whose machine is gone, or has no time for it, is continued by another one from its records. */
function exited(actor: Lifecycle, exit: Exit): Step {
  if (exit.type !== "lost" && exit.type !== "parked") return ended(actor, endOfExit(actor, exit));
  switch (actor.state) {
    case "starting":
    case "running":
      return to({ state: "returning", passive: true }, { type: "release-slot" }, { type: "return-to-line" });
    case "waiting":
    case "returning":
      return to({ ...actor, passive: true });
    case "queued":
    case "cancelling":
    case "ended":
      return ended(actor, endOfExit(actor, exit));
    default:
      return actor satisfies never;
  }
}

/** A loop that is still there after its summary is ended: it may be stuck in a library user's code. */
function afterEnd(actor: Lifecycle, event: ActorEvent): Step {
  switch (event.type) {
    case "grace-over":
      return to(actor, { type: "terminate" });
    case "slot":
      return to(actor, { type: "release-slot" });
    case "waited":
      return to(actor, { type: "return-to-calls" });
    default:
      return to(actor);
  }
}

function ended(actor: Lifecycle, end: End, more: readonly LifecycleEffect[] = []): Step {
  return { next: { state: "ended" }, effects: [...leaving(actor), { type: "end", end }, ...more] };
}

/** What an actor gives back when it leaves a state for good. */
function leaving(actor: Lifecycle): LifecycleEffect[] {
  switch (actor.state) {
    case "queued":
      return [{ type: "leave-line" }];
    case "returning":
      return [{ type: "leave-line" }, { type: "return-to-calls" }];
    case "starting":
    case "running":
      return [{ type: "release-slot" }];
    case "cancelling":
      return actor.holds ? [{ type: "release-slot" }] : [];
    case "waiting":
    case "ended":
      return [];
    default:
      return actor satisfies never;
  }
}

/** The agent knows that it was stopped, the supervisor knows why. */
function endOfSummary(actor: Lifecycle, summary: Summary): End {
  if (actor.state !== "cancelling" || summary.status !== "cancelled") return { by: "agent", summary };
  return { by: "agent", summary: { ...summary, ...actor.stop } };
}

function endOfExit(actor: Lifecycle, exit: Exit): End {
  if (actor.state === "cancelling") return { by: "runtime", ...actor.stop };
  switch (exit.type) {
    case "out-of-memory":
      return { by: "runtime", status: "out_of_memory", reason: "Its thread used up its memory." };
    case "terminated":
      return { by: "runtime", status: "cancelled", reason: "It was ended from outside." };
    case "threw":
      return { by: "runtime", status: "failed", reason: sentence("", exit.message) };
    case "died":
      return { by: "runtime", status: "failed", reason: sentence("Its thread died: ", exit.message) };
    case "returned":
      return { by: "runtime", status: "failed", reason: "It ended without a summary." };
    case "lost":
      return { by: "runtime", status: "failed", reason: `Its runner ${exit.runner} was lost.` };
    case "parked":
      return { by: "runtime", status: "failed", reason: sentence("Its runner stopped it: ", exit.reason) };
    default:
      return exit satisfies never;
  }
}

function sentence(before: string, message: string): string {
  return `${before}${message.replace(/\.*$/, "")}.`;
}

function to(next: Lifecycle, ...effects: LifecycleEffect[]): Step {
  return { next, effects };
}
