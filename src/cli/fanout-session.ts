import { worktreeDefaults } from "../features/isolation/worktree-settings.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Job } from "./jobs.ts";
import { areEditsMerged } from "./results.ts";
import { runSession, type SessionEnd } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";
import { taskName } from "./task-names.ts";

export interface FanOut {
  readonly tasks: readonly string[];
  /** Agent type. */
  readonly type: string;
  /** Each edits in a worktree of its own. */
  readonly isolation?: "worktree";
  /** How their edits are merged, if not as the settings say. */
  readonly merge?: MergeMode;
  /** The session is not kept. */
  readonly passing?: boolean;
}

/** Returns how edits of this session's agents are merged. */
export function mergeModeOf({ options }: SessionSetup, { merge }: Pick<FanOut, "merge">): MergeMode {
  return merge ?? options.worktree?.merge ?? worktreeDefaults.merge;
}

/** Runs one agent per task, side by side. Exit code 0 only if every task ended `done` and its edits are merged. */
export function runFanOut(
  context: Context,
  setup: SessionSetup,
  fanOut: FanOut,
  report: (finished: SessionEnd) => Promise<void>,
): Promise<number> {
  const { tasks, type, isolation, merge, passing = false } = fanOut;
  const apart = {
    ...(isolation === undefined ? {} : { isolation }),
    ...(merge === undefined ? {} : { merge }),
  };
  const mode = mergeModeOf(setup, fanOut);
  const jobs = tasks.map((task): Job => {
    const description = taskName(task);
    return {
      type,
      description,
      start: (handle, signal) =>
        handle.spawn({ type, description, prompt: task, typed: true, ...apart, signal }),
    };
  });
  return runSession(context, setup, {
    jobs: () => jobs,
    passing,
    async report(finished) {
      await report(finished);
      const done = finished.ends.every(
        ({ summary }) => summary.status === "done" && areEditsMerged(summary, mode),
      );
      return done ? exitCodes.done : exitCodes.notDone;
    },
  });
}
