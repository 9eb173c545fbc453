import type { AgentResult } from "../events/agent-result.ts";
import type { SupervisorEvent } from "../events/event.ts";
import { type Clock, pause, untilAborted } from "../lib/clock.ts";
import { errorMessage } from "../lib/errors.ts";
import { noUsage } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Status } from "../mailbox/messages.ts";
import { noReceipts } from "../mailbox/turns.ts";
import type { SupervisorHandle } from "../session/supervisor-handle.ts";

/** One thing that a session is asked for; `start` resolves to its one summary. */
export interface Job {
  /** Of an end without an agent, as is `description`. */
  readonly type: string;
  readonly description: string;
  start(handle: SupervisorHandle, signal: AbortSignal): Promise<JobEnd>;
}

/** How a job ended. `id` is null if no agent was started for it. */
export interface JobEnd extends Omit<AgentResult, "id"> {
  readonly id: ActorId | null;
}

export const MAIN_JOB = { type: "main", description: "main conversation" } as const;

/** One prompt to the main conversation. */
export function promptJob(prompt: string): Job {
  return { ...MAIN_JOB, start: (session, signal) => session.prompt(prompt, signal) };
}

interface Running {
  /** Aborted when everything must stop. */
  readonly signal: AbortSignal;
  /** Aborted when no end is awaited any longer. */
  readonly hurry: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds after the abort in which an end is still awaited. */
  readonly graceMs: number;
  /** Resolves when no agent is left that works for the session. */
  treeEmpty(): Promise<void>;
}

/**
 * Runs the jobs side by side and waits until each has ended and no agent is left. Returns one end per job, in their
 * order: a job that cannot start has failed; one that still runs `graceMs` after the abort, or when there is no time
 * left, is cancelled.
 */
export async function runJobs(
  handle: SupervisorHandle,
  jobs: readonly Job[],
  running: Running,
): Promise<JobEnd[]> {
  const { signal, treeEmpty } = running;
  const ends = new Map<Job, JobEnd>();
  const run = async (job: Job): Promise<void> => {
    try {
      ends.set(job, await job.start(handle, signal));
    } catch (error) {
      ends.set(job, endWithoutAgent(job, signal.aborted ? "cancelled" : "failed", errorMessage(error)));
    }
  };
  const over = new AbortController();
  await Promise.race([Promise.all(jobs.map(run)).then(treeEmpty), untilTooLate(running, over.signal)]);
  over.abort();
  return jobs.map(
    (job) =>
      ends.get(job) ??
      endWithoutAgent(job, "cancelled", "It was still running when the session was stopped."),
  );
}

async function untilTooLate({ signal, hurry, clock, graceMs }: Running, over: AbortSignal): Promise<void> {
  await untilAborted(signal, over);
  await pause(clock, graceMs, AbortSignal.any([hurry, over]));
}

export function endWithoutAgent(
  { type, description }: Pick<Job, "type" | "description">,
  status: Status,
  reason: string,
): JobEnd {
  const summary = { status, text: "", reason, turns: 0, usage: noUsage, receipts: noReceipts };
  return { id: null, type, description, summary, durationMs: 0 };
}

/** Knows when no agent is left that works for the session. */
export function watchTree() {
  const open = new Set<ActorId>();
  const waiting = new Set<() => void>();
  return {
    onEvent(event: SupervisorEvent): void {
      if (event.type !== "agent") return;
      if (event.view.state === "ended") open.delete(event.view.id);
      else open.add(event.view.id);
      if (open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    /** Resolves when every agent that was seen has ended. */
    empty: (): Promise<void> =>
      open.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve)),
  };
}
