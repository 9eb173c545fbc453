import type { Rule } from "../../policy/rules.ts";
import type { PermissionMode, SupervisorHandle } from "../../supervisor/options.ts";

/**
 * What the conversation needs of a session. What a session does not offer is absent, and the person is told
 * so in a sentence.
 */
export interface ReplSession
  extends Pick<SupervisorHandle, "session" | "prompt" | "send" | "tree" | "account" | "close"> {
  /** The mode in force. */
  mode?(): PermissionMode;
  /** Throws, or rejects, with a sentence where the mode may not be entered. */
  setMode?(mode: PermissionMode): void | Promise<void>;
  /** The permission rules in force, with where each comes from. */
  rules?(): readonly Rule[];
}
