import * as z from "zod/mini";
import { Confined } from "../mailbox/confined.ts";
import { ActorId } from "../mailbox/ids.ts";
import { RunRequest, RunResult } from "../mailbox/runs.ts";

/** The stdin of a piped run. Input written after its end is dropped. */
export interface RunInput {
  write(bytes: Uint8Array): void;
  close(): void;
}

/** What a run reports while it runs; nothing after its result. */
export interface RunWatch {
  started?(): void;
  input?(input: RunInput): void;
  /** Receives the stdout of a piped run, which is read only as fast as this returns. */
  bytes?(bytes: Uint8Array): void;
  lines?(lines: Lines): void;
}

/** A session's child processes. Their host ends them with their owner, the session, or a killed main process. */
export interface Processes {
  /** Never rejects: the result says if a child could not be started, or its host died. */
  run(request: ProcessRequest, signal?: AbortSignal, watch?: RunWatch): Promise<ProcessResult>;
  /** Makes a run report the lines of its file from a byte on, with one of `words` if there are any. */
  follow(id: string, from: number, words: readonly string[]): void;
  /** Takes the timeout of a run away. */
  untime(id: string): void;
  warm(): void;
  /** Ends everything the actor started and waits until it has ended. */
  stopOwner(owner: ActorId): Promise<void>;
  /** Ends everything, then the host. Idempotent. */
  close(): Promise<void>;
}

/** Output that goes to a file by descriptor: none of it passes through a process of Troupe's. */
export const FileOutput = z.object({
  /** Made for this run; it must not exist. */
  path: z.string(),
  /** At the end the file is removed if it is not larger than this. */
  keepOverBytes: z.number(),
  /** Gives the child descriptor 3 for a report apart from its output. */
  report: z.boolean(),
});
export type FileOutput = z.infer<typeof FileOutput>;

/** Without `output`, stdout and stderr are in the result. `piped`: its streams are used while it runs. */
export const ProcessRequest = z.extend(RunRequest, {
  output: z.optional(FileOutput),
  confined: z.optional(Confined),
  piped: z.optional(z.literal(true)),
});
export type ProcessRequest = z.infer<typeof ProcessRequest>;

/** The start and the end of the output; if `tail` is null, `head` is all of it. */
export const Ends = z.object({ bytes: z.number(), head: z.string(), tail: z.nullable(z.string()) });
export type Ends = z.infer<typeof Ends>;

/** The content of the file: stdout and stderr in the order they were written. */
export const FileResult = z.extend(Ends, {
  /** What was written to descriptor 3, at most 16 KB. */
  report: z.string(),
  kept: z.boolean(),
});
export type FileResult = z.infer<typeof FileResult>;

export const ProcessResult = z.extend(RunResult, { file: z.optional(FileResult) });
export type ProcessResult = z.infer<typeof ProcessResult>;

/** New whole lines of a growing file; `more`: others were left out. */
export const Lines = z.object({ lines: z.array(z.string()), more: z.boolean() });
export type Lines = z.infer<typeof Lines>;

/** Returns the result of a run that never became a process. */
export function notStarted(id: string, reason: string, durationMs = 0): RunResult {
  return { ...withoutOutput(id, durationMs), outcome: "not-started", reason };
}

export function cancelledEarly(id: string): RunResult {
  return { ...withoutOutput(id, 0), outcome: "cancelled", reason: "Cancelled before it was started." };
}

/** Returns the result of a child that may have done all of its work or none. */
export function unknown(id: string, reason: string, durationMs: number): RunResult {
  return { ...withoutOutput(id, durationMs), outcome: "unknown", reason };
}

function withoutOutput(id: string, durationMs: number): Omit<RunResult, "outcome"> {
  return { id, exitCode: null, signal: null, stdout: "", stderr: "", truncated: false, durationMs };
}

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
  /** The runs of this ID have no timeout any longer. */
  untime: z.object({ id: z.string() }),
} as const;
