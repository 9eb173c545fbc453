import type { ActorId, CallId } from "../mailbox/ids.ts";

/** What all events of one call have. */
interface OfCall {
  readonly actor: ActorId;
  readonly call: CallId;
  /** The provider's ID of the call. */
  readonly toolUse: string;
  readonly tool: string;
}

/**
 * A call starts to run, or is refused. Each call of a reply has exactly one `call-begin` and one `call-end`, whatever ends
 * it, and both come before the message with its result.
 */
export interface CallBeginEvent extends OfCall {
  readonly type: "call-begin";
  readonly turn: number;
  /** What runs: a hook or the user may have changed what the model wrote. */
  readonly input: unknown;
  /** The command, path, pattern or URL; within the agent's directory paths are relative. */
  readonly title: string;
  /** What the model says that a command is for. */
  readonly description?: string;
}

/** What a command has printed so far; at most four times a second for each call. */
export interface CallProgressEvent extends OfCall {
  readonly type: "call-progress";
  /** Its last five lines. */
  readonly tail: string;
  /** Lines so far. */
  readonly lines: number;
}

/**
 * `ok`: also a command with another exit code than 0. `denied`: it was not allowed. `invalid`: the tool or its input does
 * not exist. `stopped`: its agent ended while it ran.
 */
export type CallOutcome = "ok" | "error" | "denied" | "invalid" | "stopped";

/** The end of a call. */
export interface CallEndEvent extends OfCall {
  readonly type: "call-end";
  readonly outcome: CallOutcome;
  /** One sentence; only if it was denied. */
  readonly reason?: string;
  /** The first lines of its output: at most 40, and 4,000 characters. */
  readonly head: string;
  /** Of all its output, as the model receives it. */
  readonly lines: number;
  readonly characters: number;
  /** The file with all output of a command, if the model did not get all of it; kept until the session ends. */
  readonly outputPath?: string;
  /** Of a command; null if it did not end by itself. */
  readonly exitCode?: number | null;
  readonly durationMs: number;
}

export type CallEvent = CallBeginEvent | CallProgressEvent | CallEndEvent;
