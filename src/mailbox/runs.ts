import * as z from "zod/mini";
import { ActorId } from "./ids.ts";

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
  /** Milliseconds; the whole group gets TERM, then KILL. */
  timeoutMs: z.number(),
  /** Bytes of stdout after which the child is ended and `truncated` is set. */
  maxOutputBytes: z.number(),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** Failure has the same shape as success: the reason is a field, never a message to be parsed. */
export const RunResult = z.object({
  id: z.string(),
  outcome: z.enum(["exited", "signalled", "timed-out", "cancelled", "not-started", "unknown"]),
  exitCode: z.nullable(z.number()),
  signal: z.nullable(z.string()),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** Why it was not started, or what is not known. */
  reason: z.optional(z.string()),
  durationMs: z.number(),
});
export type RunResult = z.infer<typeof RunResult>;
