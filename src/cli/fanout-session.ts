import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Job } from "./jobs.ts";
import { type Finished, runSession } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";
import { taskName } from "./task-names.ts";

export interface FanOut {
  readonly tasks: readonly string[];
  /** Agent type. */
  readonly type: string;
}

/** One agent per task, side by side, without a main model. Exit code 0 only where every task ended `done`. */
export function runFanOut(
  context: Context,
  setup: SessionSetup,
  { tasks, type }: FanOut,
  report: (finished: Finished) => Promise<void>,
): Promise<number> {
  const jobs = tasks.map((task): Job => {
    const description = taskName(task);
    return {
      type,
      description,
      start: (handle, signal) => handle.spawn({ type, description, prompt: task, signal }),
    };
  });
  return runSession(context, setup, {
    jobs: () => jobs,
    async report(finished) {
      await report(finished);
      const done = finished.ends.every(({ summary }) => summary.status === "done");
      return done ? exitCodes.done : exitCodes.notDone;
    },
  });
}
