import { type Clock, pause } from "../mailbox/clock.ts";
import { noUsage } from "../mailbox/conversation.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { Status } from "../mailbox/messages.ts";
import { noReceipts } from "../mailbox/turns.ts";
import type { AgentResult, SupervisorHandle } from "../session/options.ts";
import { messageOf } from "./message-of.ts";

/** One thing a session is asked; `start` answers with the one summary of it. */
export interface Job {
  /** What stands in its place where it never became an agent. */
  readonly type: string;
  readonly description: string;
  start(handle: SupervisorHandle, signal: AbortSignal): Promise<JobEnd>;
}

/** How a job ended. `id` is null where there was no agent. */
export interface JobEnd extends Omit<AgentResult, "id"> {
  readonly id: ActorId | null;
}

interface Running {
  /** Aborted when everything must stop. */
  readonly signal: AbortSignal;
  /** Aborted when no end is waited for any more. */
  readonly hurry: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds after the abort in which an end is still waited for. */
  readonly graceMs: number;
  /** Resolves once no agent is left that works for the session. */
  treeEmpty(): Promise<void>;
}

/**
 * Runs the jobs side by side and waits until each has ended and the tree of agents is empty. One end per
 * job, in their order, whatever happens: a job that cannot start has failed, one that is still running
 * `graceMs` after the abort, or when there is no time left, is cancelled.
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
      ends.set(job, withoutAgent(job, signal.aborted ? "cancelled" : "failed", messageOf(error)));
    }
  };
  const over = new AbortController();
  await Promise.race([Promise.all(jobs.map(run)).then(treeEmpty), tooLate(running, over.signal)]);
  over.abort();
  return jobs.map(
    (job) =>
      ends.get(job) ?? withoutAgent(job, "cancelled", "It was still running when the session was stopped."),
  );
}

async function tooLate({ signal, hurry, clock, graceMs }: Running, over: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true, signal: over });
    });
  }
  await pause(clock, graceMs, AbortSignal.any([hurry, over]));
}

export function withoutAgent(
  { type, description }: Pick<Job, "type" | "description">,
  status: Status,
  reason: string,
): JobEnd {
  const summary = { status, text: "", reason, turns: 0, usage: noUsage, receipts: noReceipts };
  return { id: null, type, description, summary, durationMs: 0 };
}
