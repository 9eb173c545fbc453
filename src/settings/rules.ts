/** Where a rule or a setting comes from; a later scope does not undo the restrictions of an earlier one. */
export type Scope = "enterprise" | "user" | "project" | "local" | "cli" | "session" | "library";

export type Behaviour = "allow" | "ask" | "deny";

/** What is allowed without asking. */
export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions" | "dontAsk";

/** One permission rule with its origin, so that each decision can name the rule and its file. */
export interface Rule {
  /** As written, such as `Bash(git push:*)`. */
  readonly text: string;
  readonly behaviour: Behaviour;
  readonly scope: Scope;
  /** The settings file that contains it, if one does. */
  readonly file?: string;
}
