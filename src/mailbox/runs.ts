import * as z from "zod/mini";
import { ActorId, CallId } from "./ids.ts";

/** One child process. The process host starts it, owns its group and ends it with its owner. */
export const RunRequest = z.object({
  /** Unique in the session, chosen by the caller. */
  id: z.string(),
  owner: ActorId,
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** Added to the host's clean environment (which has no keys in it). */
  env: z.optional(z.record(z.string(), z.string())),
  /** Milliseconds; the whole group gets TERM, then KILL. Null for as long as its owner runs. */
  timeoutMs: z.nullable(z.number()),
  /** Bytes of stdout after which the child is ended and `truncated` is set. */
  maxOutputBytes: z.number(),
});
export type RunRequest = z.infer<typeof RunRequest>;

const outcomes = z.enum(["exited", "signalled", "timed-out", "cancelled", "not-started", "unknown"]);

/** A failure has the same shape as a success: the reason is a field, never a message to be parsed. */
export const RunResult = z.object({
  id: z.string(),
  outcome: outcomes,
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** Why it was not started, or what is unknown; for one that ended, problems with its output or children. */
  reason: z.optional(z.string()),
  durationMs: z.number(),
});
export type RunResult = z.infer<typeof RunResult>;

// ---- a shell's commands: which shell, and where its output goes, is not the asker's to say ----------

export const CommandRequest = z.object({
  /** The calling call, which must be running. */
  call: CallId,
  command: z.string(),
  cwd: z.string(),
  timeoutMs: z.number(),
});
export type CommandRequest = z.infer<typeof CommandRequest>;

/** Stdout and stderr in the order of writing. */
export const CommandOutput = z.object({
  bytes: z.number(),
  /** The whole output if `tail` is null; else its first part. Invalid UTF-8 is U+FFFD, nothing else is changed. */
  head: z.string(),
  tail: z.nullable(z.string()),
  /** The file of the whole output, kept until the session ends; null if `head` is all of it. */
  path: z.nullable(z.string()),
});
export type CommandOutput = z.infer<typeof CommandOutput>;

export const CommandResult = z.object({
  outcome: outcomes,
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  /** Why it was not started, or what is unknown; for one that ended, problems with its output or children. */
  reason: z.optional(z.string()),
  durationMs: z.number(),
  output: CommandOutput,
  /** It was ended because it wrote more than is kept. */
  flooded: z.boolean(),
  /** The user moved it to the background, where it has this ID; all else is as it was in that moment. */
  moved: z.optional(z.string()),
  /** The shell's last working directory; null if unknown. */
  cwd: z.nullable(z.string()),
});
export type CommandResult = z.infer<typeof CommandResult>;

export const BackgroundRequest = z.object({
  call: CallId,
  command: z.string(),
  description: z.string(),
  cwd: z.string(),
});
export type BackgroundRequest = z.infer<typeof BackgroundRequest>;

/** `path`: the file of its output. */
export const BackgroundAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started"), task: z.string(), path: z.string() }),
  z.object({ type: z.literal("refused"), reason: z.string() }),
]);
export type BackgroundAnswer = z.infer<typeof BackgroundAnswer>;
