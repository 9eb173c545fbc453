import { plainName } from "../../lib/near-name.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import type { JsonSchema } from "../../mailbox/messages.ts";
import type { Effort } from "../../mailbox/model.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";

/** Where a definition comes from; `file` is absolute. */
export type AgentSource =
  | { readonly scope: "built-in" }
  | { readonly scope: "flag" }
  | { readonly scope: "enterprise" | "user" | "project" | "plugin"; readonly file: string };

/** Permission modes, as settings name them. */
export type AgentMode = "plan" | "dontAsk" | "default" | "acceptEdits" | "bypassPermissions";

/** An agent type: what it is for, what it may use, how it works and what it must return. */
export interface AgentDefinition {
  readonly name: string;
  /** Other names for it; the case and separators of names do not matter. */
  readonly aliases?: readonly string[];
  /** One line by which a model chooses it. */
  readonly whenToUse: string;
  /** The role's part of the system prompt: how to work and what to return. */
  readonly prompt: string;
  /** True for memory files (default true). */
  readonly memory?: boolean;
  /** Tool names, or all tools. */
  readonly tools: readonly string[] | "all";
  readonly disallowedTools?: readonly string[];
  /** Alias or full ID (default: the session's model). */
  readonly model?: string;
  /** Tokens for thinking, 0 for none, and its effort (default: the session's). */
  readonly thinkingTokens?: number;
  readonly effort?: Effort;
  /** True to run in the background by default. */
  readonly background?: boolean;
  /** Each agent works in its own git worktree, and its edits are merged when it ends. */
  readonly isolation?: "worktree";
  /** What must be true of its work. */
  readonly accept?: Accept;
  /** Its calls that read or change files have a thread that nothing else uses until it ends (default: leased with each call). */
  readonly thread?: "own";
  /** The pool of runners on which each agent works (default: this machine). */
  readonly runner?: string;
  /** How edits are merged (default: as settings say). */
  readonly merge?: MergeMode;
  /** What one agent may use, with all agents below it; taken from the parent's budget. */
  readonly budget?: {
    readonly tokens?: number;
    readonly usd?: number;
    readonly turns?: number;
    readonly ms?: number;
  };
  /** Turns before it must write its summary (default: the session's limit). */
  readonly maxTurns?: number;
  /** The schema of its result as data, which is `output` of its summary (`typed/`). */
  readonly outputSchema?: JsonSchema;
  /** The mode for its calls, if it is narrower than the session's; a wider one changes nothing. */
  readonly permissionMode?: AgentMode;
  /** The agent types it may start (default: all). */
  readonly mayStart?: readonly string[];
  /** Skills whose text it starts with. */
  readonly skills?: readonly string[];
  /** Names of the session's servers, and its own servers as in `.mcp.json`, by name. */
  readonly mcpServers?: DefinedServers;
  /** As in settings; active while one of these agents runs. */
  readonly hooks?: Readonly<Record<string, unknown>>;
  /** Absent for definitions of library users. */
  readonly source?: AgentSource;
}

export interface DefinedServers {
  readonly named: readonly string[];
  readonly own: Readonly<Record<string, unknown>>;
}

/** For library users: the definition itself, checked by the compiler. */
export function defineAgent(definition: AgentDefinition): AgentDefinition {
  return definition;
}

/**
 * Finds a definition, or what lists one, by its name, whatever its case and separators (A11.2): `codeReviewer`, `Code Reviewer`,
 * `code_reviewer`. Names take precedence over aliases, or a user's own `reviewer` could not be called.
 */
export function findAgent<Found extends Pick<AgentDefinition, "name" | "aliases">>(
  definitions: readonly Found[],
  name: string,
): Found | undefined {
  const wanted = plainName(name);
  return (
    definitions.find((definition) => plainName(definition.name) === wanted) ??
    definitions.find(({ aliases = [] }) => aliases.some((alias) => plainName(alias) === wanted))
  );
}
