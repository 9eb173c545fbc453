import type { Prepared } from "../policy/sandbox/sandbox.ts";

/** Where a command runs that was allowed. */
export interface CommandPlace {
  /** Outside of the sandbox. */
  readonly outside: boolean;
  /** In a confinement of its own, instead of the sandbox. */
  readonly light?: Prepared;
}

/** A call that was allowed and has not ended. */
export interface RunningCall extends CommandPlace {
  readonly tool: string;
  /** Its tool's names, the one it is offered under first. */
  readonly names: readonly [string, ...string[]];
  /** The provider's ID of the call. */
  readonly toolUse: string;
  readonly title: string;
  /** What the model says that it is for. */
  readonly description?: string;
  readonly input: unknown;
  /** Where the agent stood. */
  readonly cwd: string;
  /** It is one of the agent's own tools. */
  readonly local: boolean;
  /** Its own deadline, in milliseconds from its start. */
  readonly timeoutMs?: number;
  readonly startedAt: number;
  /** Files it may write to, absolute, or null for any. */
  readonly writes: readonly string[] | null;
  /** What a hook said to the model before it ran; added to the result. */
  readonly context?: string;
}
