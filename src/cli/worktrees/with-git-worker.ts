import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { CliIO } from "../io.ts";
import { printNotes } from "../print.ts";

/** Works with a git worker of its own, which is closed afterwards; loaded when it is needed. */
export async function withGitWorker<T>(io: CliIO, work: (worktrees: Worktrees) => Promise<T>): Promise<T> {
  const { startGitWorker } = await import("../../worktrees/git-worker.ts");
  const worktrees = startGitWorker({
    env: io.env,
    clock: io.clock,
    onWarning: (message) => void printNotes(io, [message]).catch(() => {}),
  });
  try {
    return await work(worktrees);
  } finally {
    await worktrees.close();
  }
}
