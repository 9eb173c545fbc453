import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { CliIO } from "../io.ts";
import { safeLine } from "../safe-text.ts";

/** Works with a keeper of worktrees of its own, which is ended afterwards; loaded when it is needed. */
export async function withKeeper<T>(io: CliIO, work: (worktrees: Worktrees) => Promise<T>): Promise<T> {
  const { startGitWorker } = await import("../../worktrees/git-worker.ts");
  const worktrees = startGitWorker({
    env: io.env,
    clock: io.clock,
    onWarning: (message) => void io.stderr.write(`${safeLine(message)}\n`).catch(() => {}),
  });
  try {
    return await work(worktrees);
  } finally {
    await worktrees.close();
  }
}
