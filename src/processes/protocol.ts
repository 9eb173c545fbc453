import * as z from "zod/mini";
import { ActorId } from "../mailbox/ids.ts";
import { Lines, ProcessRequest, ProcessResult } from "./requests.ts";

/** What the process host does for the main process. */
export const HOST_REQUESTS = {
  run: {
    request: z.object({
      request: ProcessRequest,
      /** Of a run that is piped: the socket that its stdin and stdout are to be connected to. */
      socket: z.optional(z.string()),
    }),
    response: ProcessResult,
    event: z.discriminatedUnion("type", [
      /** Told at once, so that the client can end the group itself if the host dies. */
      z.object({ type: z.literal("started"), pid: z.number() }),
      z.object({ type: z.literal("lines"), lines: Lines }),
    ]),
  },
  /** Ends what this actor started, or everything; answered when it is gone. */
  stop: { request: z.object({ owner: z.nullable(ActorId) }), response: z.null() },
} as const;

/** What it is told. */
export const HOST_NOTICES = {
  /** The first message: the environment of every child. */
  begin: z.object({ env: z.record(z.string(), z.string()) }),
  /** Tell of the lines that the runs of this ID write to their files, from the byte `from` on. */
  follow: z.object({ id: z.string(), from: z.number(), words: z.array(z.string()) }),
} as const;
