import type { CostEstimate } from "../features/budget/cost-estimate.ts";
import type { Confirm, FanOutQuote } from "../features/budget/fan-out-approval.ts";
import { worktreeDefaults } from "../features/isolation/worktree-settings.ts";
import { given } from "../lib/json.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import { safeLine } from "../terminal/safe-text.ts";
import type { Context } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { endWithoutAgent, type Job } from "./jobs.ts";
import { areEditsMerged } from "./results.ts";
import { runSession, type SessionEnd } from "./run-session.ts";
import type { SessionSetup } from "./session-setup.ts";
import { taskName } from "./user-text.ts";

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
  report: (finished: SessionEnd, estimate: CostEstimate | null) => Promise<void>,
): Promise<number> {
  const { io } = context;
  const { tasks, type, isolation, merge, passing = false } = fanOut;
  const apart = given({ isolation, merge });
  const mode = mergeModeOf(setup, fanOut);
  // A user at the terminal can be asked before agents start, and not while they run.
  const confirm: Confirm | undefined =
    io.stdinIsTTY && io.stderr.isTTY
      ? async (question, signal) =>
          (await import("./yes-or-no.ts")).askYesOrNo(io, safeLine(question), signal)
      : undefined;
  let quote: Promise<FanOutQuote> | null = null;
  let estimate: CostEstimate | null = null;
  return runSession(context, setup, {
    jobs(session, note) {
      const quoted = async (signal: AbortSignal) => {
        const quote = await session.approveFanOut(
          tasks.map(() => ({ type })),
          signal,
          confirm,
        );
        estimate = quote.estimate;
        if (quote.unsaid !== null) note(quote.unsaid);
        return quote;
      };
      return tasks.map((task): Job => {
        const description = taskName(task);
        return {
          type,
          description,
          async start(handle, signal) {
            quote ??= quoted(signal);
            const { declined } = await quote;
            signal.throwIfAborted();
            if (declined !== null) return endWithoutAgent({ type, description }, "cancelled", declined);
            return handle.spawn({ type, description, prompt: task, typed: true, ...apart, signal });
          },
        };
      });
    },
    passing,
    async report(finished) {
      await report(finished, estimate);
      const done = finished.ends.every(
        ({ summary }) => summary.status === "done" && areEditsMerged(summary, mode),
      );
      return done ? exitCodes.done : exitCodes.notDone;
    },
  });
}
