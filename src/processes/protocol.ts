import * as z from "zod/mini";
import { ActorId } from "../mailbox/ids.ts";
import { Lines, ProcessRequest, ProcessResult } from "./requests.ts";

/**
 * What travels between the main process and the process host. A ticket is the client's own number for a
 * question, so that two runs never share an answer, whatever ids their askers chose.
 */
export const ToHost = z.discriminatedUnion("type", [
  /** The first message: the environment of every child. */
  z.object({ type: z.literal("begin"), env: z.record(z.string(), z.string()) }),
  z.object({
    type: z.literal("run"),
    ticket: z.number(),
    request: ProcessRequest,
    /** Of a run that is piped: the socket that its stdin and stdout are to be connected to. */
    socket: z.optional(z.string()),
  }),
  z.object({ type: z.literal("cancel"), ticket: z.number() }),
  /** Tell of the lines that this run writes to its file, from the byte `from` on. */
  z.object({
    type: z.literal("follow"),
    ticket: z.number(),
    from: z.number(),
    words: z.array(z.string()),
  }),
  /** End what this actor started, or everything; answered when it is gone. */
  z.object({ type: z.literal("stop"), ticket: z.number(), owner: z.nullable(ActorId) }),
]);
export type ToHost = z.infer<typeof ToHost>;

export const FromHost = z.discriminatedUnion("type", [
  /** Told at once, so that the client can end the group itself if the host dies. */
  z.object({ type: z.literal("started"), ticket: z.number(), pid: z.number() }),
  z.object({ type: z.literal("lines"), ticket: z.number(), lines: Lines }),
  z.object({ type: z.literal("result"), ticket: z.number(), result: ProcessResult }),
  z.object({ type: z.literal("stopped"), ticket: z.number() }),
]);
export type FromHost = z.infer<typeof FromHost>;
