import type { Effort } from "../../mailbox/effort.ts";
import type { JsonSchema } from "../../mailbox/messages.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";

/** Where a definition comes from; `file` is absolute. */
export type AgentSource =
  | { readonly scope: "built-in" }
  | { readonly scope: "flag" }
  | { readonly scope: "enterprise" | "user" | "project"; readonly file: string };

/** Modes of permission, as settings name them. */
export type AgentMode = "plan" | "dontAsk" | "default" | "acceptEdits" | "bypassPermissions";

/** A kind of agent: what it is for, what it may use, how it works and what it must return. */
export interface AgentDefinition {
  readonly name: string;
  /** Other names people and models use for it; all names are matched whatever their case and separators. */
  readonly aliases?: readonly string[];
  /** One line by which a model chooses it. */
  readonly whenToUse: string;
  /** The role's part of the system prompt: how to work and what to return. */
  readonly prompt: string;
  /** Whether it is told what memory files say (default true). */
  readonly memory?: boolean;
  /** Tool names, or every tool there is. */
  readonly tools: readonly string[] | "all";
  readonly disallowedTools?: readonly string[];
  /** Alias or full id; the session's model where absent. */
  readonly model?: string;
  /** Tokens to think with, 0 for none, and how much it puts into its replies; the session's where absent. */
  readonly thinkingTokens?: number;
  readonly effort?: Effort;
  /** Its callers go on at once and are notified, unless a call says otherwise. */
  readonly background?: boolean;
  /** Each works in a git worktree of its own, and its edits come back when it ends. */
  readonly isolation?: "worktree";
  /** How they come back; what settings say where absent. */
  readonly merge?: MergeMode;
  /** What one of them may use, with everything below it; taken from its parent's. */
  readonly budget?: {
    readonly tokens?: number;
    readonly usd?: number;
    readonly turns?: number;
    readonly ms?: number;
  };
  /** Turns before it must write its summary; the session's limit where absent. */
  readonly maxTurns?: number;
  /** What its answer must be, as data; `output` of its summary where it is (`typed/`). */
  readonly outputSchema?: JsonSchema;
  /** Its calls are judged in this mode where it is narrower than the session's; a wider one changes nothing. */
  readonly permissionMode?: AgentMode;
  /** The kinds of agents it may start; any where absent. */
  readonly mayStart?: readonly string[];
  /** Skills whose text it begins with. */
  readonly skills?: readonly string[];
  /** Names of the session's servers, and servers of its own as in `.mcp.json`, by name. */
  readonly mcpServers?: AgentServers;
  /** As in settings; they hold while one of these agents runs. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Absent: a library user's own. */
  readonly source?: AgentSource;
}

export interface AgentServers {
  readonly named: readonly string[];
  readonly own: Readonly<Record<string, unknown>>;
}

/** For library users: the definition itself, checked by the compiler. */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return definition;
}
