import * as z from "zod/mini";
import { errorCode } from "../lib/errors.ts";
import type { Channel } from "../mailbox/rpc/channel.ts";
import { failure, type Result } from "../mailbox/rpc/frames.ts";
import { type Server, serve } from "../mailbox/rpc/server.ts";
import type { Handlers, Serving } from "../mailbox/rpc/table.ts";
import type { GitEnvironment } from "./environment.ts";
import { makeOperations } from "./operations.ts";
import { GIT_OPERATIONS, type GitRequest, type OperationName } from "./protocol.ts";
import { answered } from "./refusal.ts";

/** Serves the session's requests, several in parallel, in the git worker's process. */
export function serveOperations(channel: Channel, ground: GitEnvironment): Server {
  const operations = makeOperations();
  const handlerOf =
    <Op extends OperationName>(op: Op) =>
    (request: GitRequest<Op>, { signal }: Serving<never>) =>
      answered(() => operations[op](request, ground, signal));
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
