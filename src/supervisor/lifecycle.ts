import type { Exit } from "../actors/hosts.ts";
import type { Status, Summary } from "../mailbox/messages.ts";

/**
 * The life of an agent as a pure reducer: `step(state, event)` gives the next state and what is to be done.
 * That every spawn ends in exactly one summary (promise 1) is an invariant of this file: `end` is emitted
 * on the one edge into `ended`, and `ended` has no way out.
 */
export type Lifecycle =
  /** Waiting in line for a slot. */
  | { readonly state: "queued" }
  /** Has a slot; its thread has not said anything yet. */
  | { readonly state: "starting" }
  | { readonly state: "running" }
  /**
   * Waits for a child, a person or a timer, and has given its slot back. `waits`: how many calls wait. `passive`: it
   * has given its thread back too, and goes on in another one from its records.
   */
  | { readonly state: "waiting"; readonly waits: number; readonly passive: boolean }
  /** Its wait is over; in line, at the head, for a slot. */
  | { readonly state: "returning"; readonly passive: boolean }
  /** Told to stop; `grace` milliseconds later its thread is ended. `holds`: whether it has a slot. */
  | { readonly state: "cancelling"; readonly stop: Stop; readonly holds: boolean }
  | { readonly state: "ended" };

/** Why an agent is being stopped. */
export interface Stop {
  readonly status: Extract<Status, "cancelled" | "timed_out">;
  readonly reason: string;
}

/** What is stopped besides: all below it; or (`foreground`) what it waits for, but not what runs in the background. */
export type StopScope = "subtree" | "foreground";

export type ChildEvent =
  | { readonly type: "slot" }
  | { readonly type: "alive" }
  | { readonly type: "wait" }
  | { readonly type: "waited" }
  /** It only waits, and its thread may go. */
  | { readonly type: "yielded" }
  /** It has answered, and is kept for what may still come: without a thread. */
  | { readonly type: "rests" }
  | { readonly type: "summary"; readonly summary: Summary }
  | { readonly type: "exit"; readonly exit: Exit }
  | { readonly type: "not-started"; readonly reason: string }
  | { readonly type: "stop"; readonly stop: Stop }
  | { readonly type: "grace-over" };

/** How the one summary comes to be: the agent wrote it, or the runtime writes it from what was salvaged. */
export type End =
  | { readonly by: "agent"; readonly summary: Summary }
  | { readonly by: "runtime"; readonly status: Status; readonly reason: string };

export type Effect =
  | { readonly type: "start" }
  /** Ask for a slot again, ahead of those who never had one. */
  | { readonly type: "return-to-line" }
  | { readonly type: "leave-line" }
  | { readonly type: "release-slot" }
  /** Its thread is not its own any more; it ends by itself. */
  | { readonly type: "let-go" }
  /** The waiting call may be answered now. */
  | { readonly type: "go-on" }
  | { readonly type: "mail-cancel"; readonly reason: string }
  | { readonly type: "arm-grace" }
  | { readonly type: "terminate" }
  | { readonly type: "end"; readonly end: End };

export interface Step {
  readonly next: Lifecycle;
  readonly effects: readonly Effect[];
}

/** The state of a child that has just been asked for; it is in line for a slot. */
export const queued: Lifecycle = { state: "queued" };

export function transition(child: Lifecycle, event: ChildEvent): Step {
  if (child.state === "ended") return afterTheEnd(child, event);
  switch (event.type) {
    case "slot":
      return granted(child);
    case "alive":
      return child.state === "starting" ? to({ state: "running" }) : to(child);
    case "wait":
      return wait(child);
    case "waited":
      return waited(child);
    case "yielded":
      return child.state === "waiting" && !child.passive
        ? to({ ...child, passive: true }, { type: "let-go" })
        : to(child);
    case "rests":
      return rests(child);
    case "summary":
      return ended(child, endOfSummary(child, event.summary), [{ type: "arm-grace" }]);
    case "exit":
      return ended(child, endOfExit(child, event.exit));
    case "not-started":
      return ended(child, { by: "runtime", status: "failed", reason: event.reason });
    case "stop":
      return stopped(child, event.stop);
    case "grace-over":
      return graceOver(child);
    default:
      return event satisfies never;
  }
}

function granted(child: Lifecycle): Step {
  switch (child.state) {
    case "queued":
      return to({ state: "starting" }, { type: "start" });
    case "returning":
      return child.passive
        ? to({ state: "starting" }, { type: "start" }, { type: "go-on" })
        : to({ state: "running" }, { type: "go-on" });
    default:
      // The slot came too late to be of use: it was asked for before the child was stopped.
      return to(child, { type: "release-slot" });
  }
}

function wait(child: Lifecycle): Step {
  switch (child.state) {
    case "starting":
    case "running":
      return to({ state: "waiting", waits: 1, passive: false }, { type: "release-slot" });
    case "waiting":
      return to({ ...child, waits: child.waits + 1 });
    case "returning":
      return to(
        { state: "waiting", waits: 1, passive: child.passive },
        { type: "leave-line" },
        { type: "go-on" },
      );
    default:
      return to(child);
  }
}

function rests(child: Lifecycle): Step {
  switch (child.state) {
    case "starting":
    case "running":
      return to({ state: "waiting", waits: 1, passive: true }, { type: "release-slot" }, { type: "let-go" });
    default:
      return to(child);
  }
}

/** Calls answered while others still wait go on at once; the last one goes on when there is a slot. */
function waited(child: Lifecycle): Step {
  if (child.state !== "waiting") return to(child, { type: "go-on" });
  if (child.waits > 1) return to({ ...child, waits: child.waits - 1 }, { type: "go-on" });
  return to({ state: "returning", passive: child.passive }, { type: "return-to-line" });
}

function stopped(child: Lifecycle, stop: Stop): Step {
  switch (child.state) {
    case "queued":
      return ended(child, { by: "runtime", ...stop });
    case "cancelling":
    case "ended":
      return to(child);
    case "returning":
      if (child.passive) return ended(child, { by: "runtime", ...stop });
      return to(
        { state: "cancelling", stop, holds: false },
        { type: "leave-line" },
        { type: "go-on" },
        { type: "mail-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    case "waiting":
      // Nobody is there who could still write a summary.
      if (child.passive) return ended(child, { by: "runtime", ...stop });
      return to(
        { state: "cancelling", stop, holds: false },
        { type: "mail-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    case "starting":
    case "running":
      return to(
        { state: "cancelling", stop, holds: true },
        { type: "mail-cancel", reason: stop.reason },
        { type: "arm-grace" },
      );
    default:
      return child satisfies never;
  }
}

function graceOver(child: Lifecycle): Step {
  if (child.state !== "cancelling") return to(child);
  return ended(child, { by: "runtime", ...child.stop }, [{ type: "terminate" }]);
}

/** A thread that is still there after its summary is retired: it may be stuck in somebody's code. */
function afterTheEnd(child: Lifecycle, event: ChildEvent): Step {
  switch (event.type) {
    case "grace-over":
      return to(child, { type: "terminate" });
    case "slot":
      return to(child, { type: "release-slot" });
    case "waited":
      return to(child, { type: "go-on" });
    default:
      return to(child);
  }
}

function ended(child: Lifecycle, end: End, more: readonly Effect[] = []): Step {
  return { next: { state: "ended" }, effects: [...leaving(child), { type: "end", end }, ...more] };
}

/** What a child gives back when it leaves a state for good. */
function leaving(child: Lifecycle): Effect[] {
  switch (child.state) {
    case "queued":
      return [{ type: "leave-line" }];
    case "returning":
      return [{ type: "leave-line" }, { type: "go-on" }];
    case "starting":
    case "running":
      return [{ type: "release-slot" }];
    case "cancelling":
      return child.holds ? [{ type: "release-slot" }] : [];
    case "waiting":
    case "ended":
      return [];
    default:
      return child satisfies never;
  }
}

/** The agent knows that it was stopped, the supervisor knows why. */
function endOfSummary(child: Lifecycle, summary: Summary): End {
  if (child.state !== "cancelling" || summary.status !== "cancelled") return { by: "agent", summary };
  return { by: "agent", summary: { ...summary, ...child.stop } };
}

function endOfExit(child: Lifecycle, exit: Exit): End {
  if (child.state === "cancelling") return { by: "runtime", ...child.stop };
  switch (exit.type) {
    case "out-of-memory":
      return { by: "runtime", status: "out_of_memory", reason: "Its thread used up its memory." };
    case "terminated":
      return { by: "runtime", status: "cancelled", reason: "Its thread was ended." };
    case "threw":
      return { by: "runtime", status: "failed", reason: sentence("", exit.message) };
    case "died":
      return { by: "runtime", status: "failed", reason: sentence("Its thread died: ", exit.message) };
    case "returned":
      return { by: "runtime", status: "failed", reason: "Its thread ended without a summary." };
    default:
      return exit satisfies never;
  }
}

function sentence(before: string, message: string): string {
  return `${before}${message.replace(/\.*$/, "")}.`;
}

function to(next: Lifecycle, ...effects: Effect[]): Step {
  return { next, effects };
}
