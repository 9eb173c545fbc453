import { homedir } from "node:os";
import type * as z from "zod/mini";
import type { AgentDefinition } from "../context/agents/definition.ts";
import type { WorktreeSettings } from "../features/isolation/worktree-settings.ts";
import { type EngineParts, engineRunners } from "../features/runners/engine-runners.ts";
import type { RunnersOptions } from "../features/runners/index.ts";
import { troupeHome } from "../journal/paths.ts";
import { systemClock } from "../lib/clock.ts";
import { given } from "../lib/json.ts";
import type { JsonSchema } from "../mailbox/messages.ts";
import type { Effort } from "../mailbox/model.ts";
import type { McpServer, McpServerEntry } from "../mcp/server.ts";
import type { OwnPrices } from "../model/known-models.ts";
import type { SandboxSettings } from "../policy/sandbox/sandbox.ts";
import type { UserHandler } from "../policy/user-requests.ts";
import type { ModelSource, SupervisorOptions } from "../session/options.ts";
import type { PermissionMode, Rule } from "../settings/permissions.ts";
import type { CustomTool } from "../tools/define-tool.ts";

/** Where replies come from, and which model gives them. */
export type ModelOptions = ModelSource & {
  /** Alias or full ID (default `sonnet`). */
  readonly name?: string;
  /** What `opus`, `sonnet`, `haiku` and `fable` stand for (default: the newest of each). */
  readonly aliases?: Readonly<Record<string, string>>;
  /** How much models put into their replies (default: the server's). */
  readonly effort?: Effort;
  /** Models of agents by type: an alias, a full ID or `inherit`; `*` is every other type. */
  readonly byAgentType?: Readonly<Record<string, string>>;
  /** For tasks where speed matters most, such as Explore. */
  readonly small?: string;
  /** Prices that differ from the published ones, by full ID. */
  readonly prices?: OwnPrices;
};

/** What may run. */
export interface PermissionOptions {
  /** What is allowed without asking (default `default`). */
  readonly mode?: PermissionMode;
  /** Rules for what needs no question, such as `Bash(npm test:*)`. */
  readonly allowedTools?: readonly string[];
  /** Rules for what never runs: a tool, which is then not offered, or a call. */
  readonly disallowedTools?: readonly string[];
  /** Rules with the file that each is in, as settings have them. */
  readonly rules?: readonly Rule[];
  /** Answers what is neither allowed nor denied. Absent: no user is there, and such a call is refused. */
  readonly permissionHandler?: UserHandler;
  /** What confines commands (default: commands that only read are confined, if the system can). */
  readonly sandbox?: Partial<SandboxSettings>;
}

/** Limits of the session and its agents. Values out of range are brought into it. */
export type LimitOptions = NonNullable<SupervisorOptions["limits"]> & {
  /** Of the whole session: dollars, tokens, turns, milliseconds (default: no limit). */
  readonly budget?: NonNullable<SupervisorOptions["budget"]>;
  /** Dollars above which a fan-out is a question (default 1; 0: always). */
  readonly confirmAboveUsd?: number;
};

/** What models see in addition to the conversation. */
export type ContextOptions = NonNullable<SupervisorOptions["context"]> & {
  /** Replaces the role of the main conversation; its environment, memory files and tools stay. */
  readonly systemPrompt?: string;
  /** Is added to the role of the main conversation. */
  readonly appendSystemPrompt?: string;
  /** Skills and slash commands (default: none). */
  readonly skills?: NonNullable<SupervisorOptions["skills"]>;
  /** When a long conversation is made shorter (default: at 90 % of its model's window). */
  readonly compaction?: NonNullable<SupervisorOptions["compaction"]>;
};

/** MCP servers of a session. */
export interface McpOptions {
  /** By name, as in `.mcp.json`; all agents share them. One that cannot be used is a warning. */
  readonly servers: Readonly<Record<string, McpServerEntry>> | readonly McpServer[];
}

/** Options of a session, in groups. Only `cwd` and `model` are required. */
export interface SessionOptions
  extends Pick<
    SupervisorOptions,
    "cwd" | "additionalDirs" | "home" | "title" | "resume" | "background" | "env" | "ids" | "clock"
  > {
  readonly model: ModelOptions;
  readonly permissions?: PermissionOptions;
  readonly limits?: LimitOptions;
  readonly context?: ContextOptions;
  readonly mcp?: McpOptions;
  /** How agents get worktrees of their own, and how their edits are merged (default: `worktreeDefaults`). */
  readonly worktrees?: Partial<WorktreeSettings>;
  /** Other machines on which agents can run (default: none). An agent goes there by `runner` of its request or definition, or by `pool`. */
  readonly runners?: RunnersOptions;
  /** Agent types in addition to the built-in ones; one with a built-in's name replaces it. */
  readonly agents?: readonly AgentDefinition[];
  /** Tools in addition to the built-in ones. */
  readonly tools?: readonly CustomTool[];
}

/** The schema that the answer of an agent must fit: zod, or a JSON Schema. */
export type OutputSchema = z.core.$ZodType | JsonSchema;

/** The type of what fits a schema; of a JSON Schema it is not known. */
export type OutputOf<S> = S extends z.core.$ZodType ? z.output<S> : unknown;

/** Returns the options as the session reads them. */
export function flattenOptions({
  model: { name, aliases, effort, byAgentType, small, prices, ...source },
  permissions: { mode, permissionHandler, ...permissions } = {},
  limits: { budget, confirmAboveUsd, ...limits } = {},
  context: { systemPrompt, appendSystemPrompt, skills, compaction, ...context } = {},
  mcp,
  worktrees,
  runners,
  ...rest
}: SessionOptions): SupervisorOptions {
  return {
    ...{ ...rest, ...permissions, source, limits, context },
    ...given({
      ...{ model: name, aliases, effort, agentModels: byAgentType, smallModel: small, prices },
      ...{ permissionMode: mode, person: permissionHandler, budget, quoteAboveUsd: confirmAboveUsd },
      ...{ systemPrompt, appendSystemPrompt, skills, compaction },
      ...{ mcpServers: mcp?.servers, worktree: worktrees },
      runners: runners && engineRunners(runners, partsOf(rest)),
    }),
  };
}

/** What runners say of themselves is for their own logs. */
function partsOf({ home, clock = systemClock }: Pick<SessionOptions, "home" | "clock">): EngineParts {
  return { env: process.env, home: home ?? troupeHome(process.env, homedir()), clock, onLine() {} };
}
