import type { Rule } from "../../policy/rules.ts";
import type { PermissionMode, SupervisorHandle } from "../../supervisor/options.ts";
import type { SessionSetup } from "../session-setup.ts";

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

/** Whether the folder is trusted, and how the person's yes is kept. */
export interface TrustGate {
  /** What would be granted, as a question; null where nothing needs to be asked. */
  trustQuestion(): { readonly text: string } | null;
  trust(): Promise<void>;
}

export interface ReplSetup extends SessionSetup {
  readonly trust?: TrustGate;
}
