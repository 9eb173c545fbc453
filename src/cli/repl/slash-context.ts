import type { AgentView } from "../../events/event.ts";
import type { SettingsReader } from "../../policy/trust/trust.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import type { Paint } from "../../terminal/colour.ts";
import type { Context } from "../command.ts";
import type { CliIO } from "../process-io.ts";
import type { Terminal } from "./terminal.ts";

/** Where a conversation's settings and memory files are. */
export interface OwnFiles {
  readonly io: CliIO;
  /** The directory of the conversation. */
  readonly cwd: string;
  /** The directory whose settings apply. */
  readonly root: string;
  /** Includes what this run was given about the directory, such as that it is trusted. */
  readonly reader: Pick<SettingsReader, "read">;
  /** Runs another command of `troupe`. */
  readonly run?: Context["run"];
}

/** What a slash command needs. */
export interface SlashContext {
  readonly session: SupervisorHandle;
  readonly terminal: Pick<Terminal, "dialog" | "paint" | "columns" | "giveBack">;
  readonly own: OwnFiles;
  readonly paint: Paint;
  readonly now: () => number;
  /** Shows a line immediately and never wraps it, so that an address can be copied. It must be safe for a terminal. */
  say(line: string): void;
  /** Returns a signal that is aborted when the user stops what they wait for. */
  stoppable(): AbortSignal;
  /** Returns why the user may not switch to this mode, or null if they may. */
  readonly whyNot: (mode: PermissionMode) => string | null;
  /** Resolves with whether the user wants this mode, after a warning if it needs one. */
  readonly confirmMode: (mode: PermissionMode) => Promise<boolean>;
  /** What the conversation uses of the model's window; null if not known yet. */
  readonly contextTokens: number | null;
  /** Resumes an agent; its summary is shown when it arrives. */
  goOnWith(agent: AgentView, text: string): void;
  /** Ends this session, to be resumed, and starts a new one. Rejects if that cannot start; this one stays then. */
  clear(): Promise<void>;
  /** Replaces the session by a copy that ends before this record. */
  rewindTo(seq: number): Promise<void>;
  leave(): void;
}
