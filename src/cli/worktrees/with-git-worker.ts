import type { RefusedRequest } from "../../worktrees/protocol.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { printNotes } from "../print.ts";

/** The git worker did nothing; its message says why. */
class RefusedError extends Error {}

/** Returns an answer of the git worker. Throws if it refused the request: `withGitWorker` says so to the user. */
export function granted<A extends { readonly type: string }>(answer: A | RefusedRequest): A {
  if (answer.type === "refused") throw new RefusedError((answer as RefusedRequest).reason);
  return answer as A;
}

/** Works with a git worker of its own, which is closed afterwards; loaded when it is needed. Says what it refused. */
export async function withGitWorker<T>(
  io: CliIO,
  work: (worktrees: Worktrees) => Promise<T>,
): Promise<T | number> {
  const { startGitWorker } = await import("../../worktrees/git-worker.ts");
  const worktrees = startGitWorker({
    env: io.env,
    clock: io.clock,
    onWarning: (message) => void printNotes(io, [message]).catch(() => {}),
  });
  try {
    return await work(worktrees);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    await printNotes(io, [error.message]);
    return exitCodes.notDone;
  } finally {
    await worktrees.close();
  }
}
