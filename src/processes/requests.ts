import * as z from "zod/mini";
import { Confined } from "../mailbox/confined.ts";
import { RunRequest, RunResult } from "../mailbox/runs.ts";

/** Output that goes to a file by descriptor: however much it is, it passes through no process of ours. */
export const FileOutput = z.object({
  /** Made for this run; it must not exist. */
  path: z.string(),
  /** The file is removed at the end when there is no more in it than this. */
  keepOverBytes: z.number(),
  /** Gives the child descriptor 3, to report something apart from what it writes. */
  report: z.boolean(),
});
export type FileOutput = z.infer<typeof FileOutput>;

/**
 * `output` absent: stdout and stderr come back in the result, both bounded. `confined` absent: it runs as the user.
 * `piped`: its stdin is written and its stdout is read while it runs, and only stderr is in the result.
 */
export const ProcessRequest = z.extend(RunRequest, {
  output: z.optional(FileOutput),
  confined: z.optional(Confined),
  piped: z.optional(z.literal(true)),
});
export type ProcessRequest = z.infer<typeof ProcessRequest>;

/** The beginning and the end of what was written; `head` is all of it where `tail` is null. */
export const Ends = z.object({ bytes: z.number(), head: z.string(), tail: z.nullable(z.string()) });
export type Ends = z.infer<typeof Ends>;

/** What came into the file: stdout and stderr in the order they were written. */
export const FileResult = z.extend(Ends, {
  /** What was written to descriptor 3, at most 16 KB. */
  report: z.string(),
  kept: z.boolean(),
});
export type FileResult = z.infer<typeof FileResult>;

export const ProcessResult = z.extend(RunResult, { file: z.optional(FileResult) });
export type ProcessResult = z.infer<typeof ProcessResult>;

/** New whole lines of a file that is being written; `more`: there were others, left out. */
export const Lines = z.object({ lines: z.array(z.string()), more: z.boolean() });
export type Lines = z.infer<typeof Lines>;
