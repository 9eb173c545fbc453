import * as z from "zod/mini";
import { ActorId, CallId } from "./ids.ts";

/** One child process. The process host starts it, owns its group and ends it with its owner. */
export const RunRequest = z.object({
  /** Unique in the session, chosen by the asker. */
  id: z.string(),
  owner: ActorId,
  file: z.string(),
  args: z.array(z.string()),
  cwd: z.string(),
  /** Added to the host's clean environment (which has no keys in it). */
  env: z.optional(z.record(z.string(), z.string())),
  /** Milliseconds; the whole group gets TERM, then KILL. Null: it may run as long as its owner. */
  timeoutMs: z.nullable(z.number()),
  /** Bytes of stdout after which the child is ended and `truncated` is set. */
  maxOutputBytes: z.number(),
});
export type RunRequest = z.infer<typeof RunRequest>;

const outcomes = z.enum(["exited", "signalled", "timed-out", "cancelled", "not-started", "unknown"]);

/** Failure has the same shape as success: the reason is a field, never a message to be parsed. */
export const RunResult = z.object({
  id: z.string(),
  outcome: outcomes,
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** Why it was not started, or what is not known; of one that ended, what became of its output or its children. */
  reason: z.optional(z.string()),
  durationMs: z.number(),
});
export type RunResult = z.infer<typeof RunResult>;

// ---- a shell's commands: which shell, and where its output goes, is not the asker's to say ----------

export const CommandRequest = z.object({
  /** The call that asks for it; it must be running. */
  call: CallId,
  command: z.string(),
  cwd: z.string(),
  timeoutMs: z.number(),
});
export type CommandRequest = z.infer<typeof CommandRequest>;

/** What was written to stdout and stderr, in the order it was written. */
export const CommandOutput = z.object({
  bytes: z.number(),
  /** All of it, where `tail` is null; else its first part. Invalid UTF-8 is U+FFFD, nothing else is changed. */
  head: z.string(),
  tail: z.nullable(z.string()),
  /** All of it as it was written, until the session ends. Null: it was short, and `head` is all of it. */
  path: z.nullable(z.string()),
});
export type CommandOutput = z.infer<typeof CommandOutput>;

export const CommandResult = z.object({
  outcome: outcomes,
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  /** Why it was not started, or what is not known; of one that ended, what became of its output or its children. */
  reason: z.optional(z.string()),
  durationMs: z.number(),
  output: CommandOutput,
  /** It wrote more than is kept of a command and was ended for it. */
  flooded: z.boolean(),
  /** Where the shell stood at its end; null where it could not say. */
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

/** `path`: the file its output goes to. */
export const BackgroundAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("started"), task: z.string(), path: z.string() }),
  z.object({ type: z.literal("refused"), reason: z.string() }),
]);
export type BackgroundAnswer = z.infer<typeof BackgroundAnswer>;
