import type { ActorId } from "../mailbox/ids.ts";
import type { Behaviour, PermissionMode, Rule } from "../settings/permissions.ts";

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

/** Why a call may run or not: the journal keeps it. */
export interface Grounds {
  readonly by: "rules" | "hook" | "person" | "nobody" | "stop"; // word-ok
  /** One sentence or clause. */
  readonly reason: string;
  readonly rule?: Rule;
  /** Of an allowed command. */
  readonly tier?: Tier;
}

/** A denied call, as `--output-format json` lists it. */
export interface PermissionDenial extends Pick<Grounds, "by" | "reason" | "rule"> {
  readonly actor: ActorId;
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
  /** The rules that would have allowed this very call; empty if none would. */
  readonly grants: readonly string[];
}

/** A decision before its grants are tried: lists of rules, the first working one of which is offered. */
export type Verdict = Omit<Judgement, "grants"> & { readonly proposals: readonly (readonly string[])[] };

/**
 * Returns the judgement of a command if every command is a question: only a denial remains. It offers no grant, so no
 * hook, no sandbox and no rule of the session spares the next question.
 */
export function askEveryCommand(judgement: Judgement, mode: PermissionMode): Judgement {
  const { decision, reason, rule, parts } = judgement;
  switch (decision) {
    case "deny":
      return judgement;
    case "ask":
      return { ...judgement, grants: [] };
    case "allow": {
      const but = `every command is a question here (troupe.askEveryCommand), although ${rule === undefined ? reason : `the rule ${rule.text} allows it`}`;
      return { decision: mode === "dontAsk" ? "deny" : "ask", reason: but, parts, grants: [] };
    }
    default:
      return decision satisfies never;
  }
}
