import * as z from "zod/mini";
import { FileDiff } from "../lib/file-diff.ts";
import { ActorId, CallId } from "../mailbox/ids.ts";

/** What all events of one call have. */
const ofCall = {
  actor: ActorId,
  call: CallId,
  toolUse: z.string().check(z.describe("The provider's ID of the call.")),
  tool: z.string(),
};

/**
 * A call starts to run, or is refused. Each call of a reply has exactly one `call-begin` and one `call-end`, whatever ends
 * it, and both come before the message with its result.
 */
export const CallBeginEvent = z
  .object({
    type: z.literal("call-begin"),
    ...ofCall,
    turn: z.number(),
    input: z
      .unknown()
      .check(z.describe("What runs: a hook or the user may have changed what the model wrote.")),
    title: z
      .string()
      .check(
        z.describe("The command, path, pattern or URL; within the agent's directory paths are relative."),
      ),
    description: z.exactOptional(z.string().check(z.describe("What the model says that a command is for."))),
  })
  .check(
    z.describe(
      "A call starts to run, or is refused. Each call of a reply has exactly one `call-begin` and one `call-end`, whatever ends it, and both come before the message with its result.",
    ),
  );
export type CallBeginEvent = Readonly<z.infer<typeof CallBeginEvent>>;

/** What a command has printed so far. */
export const CallProgressEvent = z
  .object({
    type: z.literal("call-progress"),
    ...ofCall,
    tail: z.string().check(z.describe("Its last five lines.")),
    lines: z.number().check(z.describe("Lines so far.")),
  })
  .check(z.describe("What a command has printed so far; at most four times a second for each call."));
export type CallProgressEvent = Readonly<z.infer<typeof CallProgressEvent>>;

export const CallOutcome = z
  .enum(["ok", "error", "denied", "invalid", "stopped"])
  .check(
    z.describe(
      "`ok`: also a command with another exit code than 0. `denied`: it was not allowed. `invalid`: the tool or its input does not exist. `stopped`: its agent ended while it ran.",
    ),
  );
export type CallOutcome = z.infer<typeof CallOutcome>;

/** The end of a call. */
export const CallEndEvent = z
  .object({
    type: z.literal("call-end"),
    ...ofCall,
    outcome: CallOutcome,
    reason: z.exactOptional(z.string().check(z.describe("One sentence; only if it was denied."))),
    head: z.string().check(z.describe("The first lines of its output: at most 40, and 4,000 characters.")),
    lines: z.number().check(z.describe("Of all its output, as the model receives it.")),
    characters: z.number(),
    outputPath: z.exactOptional(
      z
        .string()
        .check(
          z.describe(
            "The file with all output of a command, if the model did not get all of it; kept until the session ends.",
          ),
        ),
    ),
    exitCode: z.exactOptional(
      z.nullable(z.number()).check(z.describe("Of a command; null if it did not end by itself.")),
    ),
    diff: z.exactOptional(FileDiff),
    durationMs: z.number(),
  })
  .check(z.describe("The end of a call."));
export type CallEndEvent = Readonly<z.infer<typeof CallEndEvent>>;

export type CallEvent = CallBeginEvent | CallProgressEvent | CallEndEvent;
