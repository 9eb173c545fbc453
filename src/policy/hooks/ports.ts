import type { Clock } from "../../mailbox/clock.ts";
import type { Hooks } from "./hooks.ts";
import type { RunProcess } from "./run-hook.ts";

/** What stays the same for all hooks of a session. */
export interface HookSession {
  readonly id: string;
  /** The journal's file. */
  readonly transcriptPath: string;
  readonly projectDir: string;
  /** Ours alone, under a private folder: what hooks read as stdin lies there while they run. Need not exist. */
  readonly folder: string;
}

export interface HookPorts {
  /** Looked at anew at each event, so that it may be a getter over settings that change. */
  readonly hooks: Hooks;
  readonly run: RunProcess;
  readonly session: HookSession;
  readonly clock: Clock;
  /** One sentence about a hook that does not do its work, once for each hook and kind of fault. */
  onProblem(message: string): void;
  /** What a hook says to the person (`systemMessage`). */
  onMessage(message: string): void;
}
