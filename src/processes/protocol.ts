import * as z from "zod/mini";
import { ActorId } from "../mailbox/ids.ts";
import { Lines, ProcessRequest, ProcessResult } from "./requests.ts";

/** Requests to the process host. */
export const HOST_REQUESTS = {
  run: {
    request: z.object({
      request: ProcessRequest,
      /** For a piped run: the socket to connect its stdin and stdout to. */
      socket: z.optional(z.string()),
    }),
    response: ProcessResult,
    event: z.discriminatedUnion("type", [
      /** Sent immediately, so that the client can end the group itself if the host dies. */
      z.object({ type: z.literal("started"), pid: z.number() }),
      z.object({ type: z.literal("lines"), lines: Lines }),
    ]),
  },
  /** Ends what this actor started, or everything; responds when it has ended. */
  stop: { request: z.object({ owner: z.nullable(ActorId) }), response: z.null() },
} as const;

/** Messages to the process host without a response. */
export const HOST_NOTICES = {
  /** The first message: the environment of every child. */
  begin: z.object({ env: z.record(z.string(), z.string()) }),
  /** Reports the lines that the runs of this ID write to their files, from the byte `from` on. */
  follow: z.object({ id: z.string(), from: z.number(), words: z.array(z.string()) }),
} as const;
