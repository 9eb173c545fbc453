import type { Behaviour, Rule } from "../settings/rules.ts";

/**
 * What an allow rests on: rules that carry every part, a confinement that was tried on this machine, the strict
 * reading alone, or the mode.
 */
export type Tier = "rule" | "enforced" | "plain" | "mode";

/** Whether a path under a Read rule's pattern was ever tracked by git. */
export type EverTracked = (pattern: string) => "yes" | "no" | "unknown";

/** What a decision may rest on other than rules, mode and the call. */
export interface JudgeContext {
  /** A read-only confinement works here, and a command allowed for it will run in it. False if absent. */
  readonly enforced?: boolean;
  /** Every answer is `unknown` if absent. */
  readonly everTracked?: EverTracked;
}

/** `allow`, `ask` or `deny`, and why. */
export interface Judgement {
  readonly decision: Behaviour;
  /** Of an allow. */
  readonly tier?: Tier;
  /**
   * The confinement an allowed command has to run in if there is one here: `read` changes nothing at all, `write`
   * changes only what is not protected in the workspace. Absent: it runs as the user, or in the full sandbox.
   */
  readonly confined?: "read" | "write";
  /** One sentence a person understands: what decided it. */
  readonly reason: string;
  /** The rule that decided, if one did. */
  readonly rule?: Rule;
  /** For a shell command: its parts (semantics §5.2) with what each alone would get; empty otherwise. */
  readonly parts: readonly { readonly text: string; readonly decision: Behaviour }[];
  /** The narrowest rules which, allowed for a session, would let this very call through; empty where none would. */
  readonly grants: readonly string[];
}
