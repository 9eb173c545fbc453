import { type Clock, pause } from "../mailbox/clock.ts";
import type { SessionAccount, SupervisorHandle } from "../supervisor/options.ts";
import { chooseProgress } from "./choose-progress.ts";
import type { Context } from "./command.ts";
import { followSettings } from "./follow-settings.ts";
import { watchInterrupts } from "./interrupts.ts";
import { type Job, type JobEnd, runJobs } from "./jobs.ts";
import type { SessionSetup } from "./session-setup.ts";
import { watchTree } from "./tree-watch.ts";

/** All that a report can be made of. */
export interface Finished {
  /** One per job, in the order of the jobs. */
  readonly ends: readonly JobEnd[];
  readonly account: SessionAccount;
  /** Milliseconds since the command began. */
  readonly durationMs: number;
}

/** Milliseconds beyond the agents' own grace in which cancelled jobs must answer, and for closing the session. */
const LATE_MS = 1_000;
const CLOSE_MS = 10_000;

/**
 * Starts a session, runs the jobs side by side and hands their ends to `report` once the tree of agents is
 * empty; then closes the session. The answer is the report's exit code. On a signal the jobs are cancelled,
 * what is known is reported, and the signal's exit code is the answer.
 */
export async function runSession(
  { io, runtime, startedAt }: Context,
  { options, notes, settings }: SessionSetup,
  jobs: readonly Job[],
  report: (finished: Finished) => Promise<number>,
): Promise<number> {
  const createSupervisor = await runtime.createSupervisor();
  const progress = chooseProgress(io);
  const tree = watchTree();
  const interrupts = watchInterrupts(io, progress.note);
  for (const line of notes) progress.note(line);
  try {
    const handle = createSupervisor({
      ...options,
      onEvent(event) {
        tree.onEvent(event);
        progress.onEvent(event);
      },
    });
    const following = new AbortController();
    followSettings(handle, settings, { note: progress.note, clock: io.clock, signal: following.signal });
    let code: number;
    let closed = false;
    try {
      const ends = await runJobs(handle, jobs, {
        signal: interrupts.signal,
        clock: io.clock,
        graceMs: (options.limits?.graceMs ?? 2_000) + LATE_MS,
        treeEmpty: tree.empty,
      });
      progress.stop();
      code = await report({ ends, account: handle.account(), durationMs: io.clock.now() - startedAt });
    } finally {
      following.abort();
      closed = await closesInTime(handle, io.clock);
    }
    code = interrupts.code() ?? code;
    if (!closed) {
      progress.note(`The session did not close within ${CLOSE_MS / 1000} s; leaving without it.`);
      io.leave(code);
    }
    return code;
  } finally {
    progress.stop();
    interrupts.release();
  }
}

/** False where something of the session does not end: its threads would keep the process alive for ever. */
async function closesInTime(handle: SupervisorHandle, clock: Clock): Promise<boolean> {
  const over = new AbortController();
  const closed = handle.close().then(() => true);
  const late = pause(clock, CLOSE_MS, over.signal).then(() => false);
  try {
    return await Promise.race([closed, late]);
  } finally {
    over.abort();
  }
}
