/** Where a rule or a setting came from; later scopes in this order do not undo the restrictions of earlier ones. */
export type Scope = "enterprise" | "user" | "project" | "local" | "cli" | "session" | "library";

export type Behaviour = "allow" | "ask" | "deny";

/** One permission rule with its origin, so that each decision can name the rule and the file that made it. */
export interface Rule {
  /** As written, such as `Bash(git push:*)`. */
  readonly text: string;
  readonly behaviour: Behaviour;
  readonly scope: Scope;
  /** The settings file it stands in, where it stands in one. */
  readonly file?: string;
}

/** `allow`, `ask` or `deny`, and why. */
export interface Judgement {
  readonly decision: Behaviour;
  /** One sentence a person understands: what decided it. */
  readonly reason: string;
  /** The rule that decided, if one did. */
  readonly rule?: Rule;
  /** For a shell command: its parts (semantics §5.2) with what each alone would get; empty otherwise. */
  readonly parts: readonly { readonly text: string; readonly decision: Behaviour }[];
  /** The narrowest rules which, allowed for a session, would let this very call through; empty where none would. */
  readonly grants: readonly string[];
}
