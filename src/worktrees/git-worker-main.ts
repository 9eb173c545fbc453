import * as z from "zod/mini";
import { errorCode } from "../lib/errors.ts";
import { type Channel, parentChannel } from "../mailbox/rpc/channel.ts";
import { failure, type Result } from "../mailbox/rpc/frames.ts";
import { type Server, serve } from "../mailbox/rpc/server.ts";
import type { Handlers, Serving } from "../mailbox/rpc/table.ts";
import { signalGroup } from "../processes/process-group.ts";
import { type GitEnvironment, ownEnvironment } from "./environment.ts";
import { makeOperations } from "./operations.ts";
import { GIT_OPERATIONS, type GitRequest, type OperationName } from "./protocol.ts";
import { answered } from "./refusal.ts";

/**
 * Runs the git worker: one process for all git work of a session.
 *
 * A process and not a thread, because it starts git many times a second, and each start would block a large session for
 * milliseconds; and because it can finish or undo its work after the session was killed.
 */
function runGitWorker(): void {
  const ground = ownEnvironment(process.env);
  const server = serveOperations(parentChannel(), ground);

  let leaving = false;
  async function leave(): Promise<void> {
    if (leaving) return;
    leaving = true;
    await server.close();
    // A filter can outlive the git that was cut off under it; this process only receives the signal.
    signalGroup(process.pid, "SIGTERM");
    process.exit(0);
  }

  // The session ended, by close() or by SIGKILL: the channel closes either way.
  process.on("disconnect", () => void leave());
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void leave());
  if (!process.connected) void leave();
}

/** Serves the session's requests, several in parallel, in the git worker's process. */
function serveOperations(channel: Channel, ground: GitEnvironment): Server {
  const operations = makeOperations();
  const handlerOf =
    <Op extends OperationName>(op: Op) =>
    (request: GitRequest<Op>, { signal }: Serving<never>) =>
      answered(() => operations[op](request, { ...ground, signal }));
  const names = Object.keys(GIT_OPERATIONS) as OperationName[];
  const handlers = Object.fromEntries(names.map((op) => [op, handlerOf(op)])) as unknown;
  return serve(channel, GIT_OPERATIONS, handlers as Handlers<typeof GIT_OPERATIONS>, { onError });
}

function onError(error: unknown, op: string): Result<unknown> {
  if (isDiskFull(error) && z.safeParse(GIT_OPERATIONS[op as OperationName].response, DISK_FULL).success)
    return { ok: true, value: DISK_FULL };
  if (!(error instanceof Error)) return failure("failed", String(error));
  // A system error is for the user; for a bug the stack says where.
  return failure("failed", (errorCode(error) === undefined && error.stack) || error.message);
}

const DISK_FULL = {
  type: "refused",
  reason:
    "The disk that the repository is on is full, so nothing more of its worktrees can be saved. Files that are in them stay there. Free some space, then try again.",
};

function isDiskFull(error: unknown): boolean {
  return errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";
}

runGitWorker();
