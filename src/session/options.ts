import type * as z from "zod/mini";
import type { ActorHost } from "../actors/hosts.ts";
import type { AgentDefinition } from "../context/agents/definition.ts";
import type { SupervisorEvent } from "../events/event.ts";
import type { AgentPlacement, AgentsNow } from "../features/agents/agent-types.ts";
import type { Budget } from "../features/budget/budget.ts";
import type { CompactionOptions } from "../features/compaction/windows.ts";
import type { SessionContextOptions } from "../features/context/session-context.ts";
import type { WorktreeSettings } from "../features/isolation/worktree-settings.ts";
import type { LanguageServersOption } from "../features/languages/index.ts";
import type { Runners } from "../features/runners/index.ts";
import type { SkillsOptions } from "../features/skills/options.ts";
import type { DeferOptions } from "../features/tool-search/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { StartThread } from "../lib/threads.ts";
import type { Accept } from "../mailbox/acceptance.ts";
import type { ActorId, Ids } from "../mailbox/ids.ts";
import type { JsonSchema } from "../mailbox/messages.ts";
import type { Effort } from "../mailbox/model.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { McpServer, McpServerEntry } from "../mcp/server.ts";
import type { ModelClient } from "../model/client.ts";
import type { OwnPrices } from "../model/known-models.ts";
import type { AgentModels, AvailableModels } from "../model/model-names.ts";
import type { SandboxSettings } from "../policy/sandbox/sandbox.ts";
import type { UserHandler } from "../policy/user-requests.ts";
import type { Limits } from "../settings/limits.ts";
import type { PermissionMode, Rule } from "../settings/permissions.ts";
import type { AgentBudget, HookSource } from "../settings/read-settings.ts";
import type { CustomTool } from "../tools/define-tool.ts";
import type { FileRules } from "../tools/tool.ts";
import type { SearchSettings } from "../web/search/choose-provider.ts";
import type { ResumableSession } from "./resume-session.ts";

/** Where replies come from. */
export type ModelSource =
  | {
      readonly provider: "anthropic";
      readonly apiKey?: string;
      /** Sent as a bearer token instead of a key, as gateways want it. */
      readonly authToken?: string;
      /** Any server that speaks the Messages API; the Messages API of Anthropic where absent. */
      readonly baseURL?: string;
      /** Sent with every request, by names in lower case; these replace Troupe's own ones. */
      readonly headers?: Readonly<Record<string, string>>;
      /** False: no request marks what the server should cache (default true). */
      readonly promptCaching?: boolean;
    }
  | {
      /** Any server that speaks the chat completions API. */
      readonly provider: "openai";
      readonly apiKey?: string;
      /** With its version, such as `http://localhost:11434/v1`; OpenAI's own where absent. */
      readonly baseURL?: string;
    }
  | { readonly provider: "offline" }
  /** A library user's own, such as `scriptedModel(…)`; it runs on the caller's thread. */
  | { readonly provider: "client"; readonly client: ModelClient };

export interface SupervisorOptions extends AgentModels {
  /** How much models put into their replies; an agent's definition wins (default: the server's). */
  readonly effort?: Effort;
  /** It follows a conversation that the user has cleared (`/clear`), as SessionStart hooks read (default false). */
  readonly afterClear?: boolean;
  /** The directory the session is about; must exist. */
  readonly cwd: string;
  readonly source: ModelSource;
  /** Alias or full id (default sonnet). */
  readonly model?: string;
  /** What opus, sonnet, haiku and fable stand for, where it is not the newest of each. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Lists of models; only those that are in all of them can be used. */
  readonly availableModels?: AvailableModels;
  readonly additionalDirs?: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly allowedTools?: readonly string[];
  /** Rules that the user has allowed for the session before, such as in the session that this one is a copy of. */
  readonly grants?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** Permission rules of settings, each with the file that it is in. */
  readonly rules?: readonly Rule[];
  /** Only the organisation's rules allow something: not those of flags, and none for the session (default false). */
  readonly managedRulesOnly?: boolean;
  /** Every command of Bash is a question, whatever allows it; what is denied stays denied (default false). */
  readonly askEveryCommand?: boolean;
  /** Hooks of settings, as they are written there. */
  readonly hooks?: readonly HookSource[];
  /**
   * What git would run in this directory that no user has agreed to, as a clause, or null: if it is
   * one, git is asked about unless a rule allows it. Absent: git is taken as it is.
   */
  readonly foreignGit?: (folder: string) => string | null;
  /** Environment variables that commands get in addition to the process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables that commands get in addition to the usual ones. */
  readonly commandEnv?: readonly string[];
  /** Secrets that are left out of the journal, in addition to those that are known. */
  readonly redact?: readonly string[];
  /** How files are guarded (default: edits strict, any file may be overwritten as a whole). */
  readonly fileRules?: Partial<FileRules>;
  /** What holds commands (default: nothing does). */
  readonly sandbox?: Partial<SandboxSettings>;
  /** Why settings do not let the session into a mode, in a sentence, or null; asked where an approved plan would change it. */
  readonly whyNotMode?: (mode: PermissionMode) => string | null;
  /** Who can be asked; absent: no user, and what would be a question is refused and listed. */
  readonly person?: UserHandler;
  /**
   * Replaces the role of the main conversation; its environment, memory files and tools stay as they are. A session that
   * is resumed keeps the role that it began with.
   */
  readonly systemPrompt?: string;
  /** The main conversation takes its role, its tools and its model from this definition; `systemPrompt` and `model` win. */
  readonly mainAgent?: AgentDefinition;
  /** What each answer of the main conversation must be, as for `spawn`; a resumed one keeps what it began with. */
  readonly outputSchema?: JsonSchema;
  /** Added to the role of the main conversation. */
  readonly appendSystemPrompt?: string;
  /** Memory files, date, state of the repository (default: none of them). */
  readonly context?: SessionContextOptions;
  /** Skills and commands (default: none, and a prompt that begins with a slash is text). */
  readonly skills?: SkillsOptions;
  /** When conversations that grow too large are made shorter (default: at 90 % of their model's window). */
  readonly compaction?: CompactionOptions;
  readonly limits?: Partial<Limits>;
  /** How agents get worktrees of their own, and how their edits are merged (default: `worktreeDefaults`). */
  readonly worktree?: Partial<WorktreeSettings>;
  /** Whether what agents report is checked against what they have read and run (default: yes). */
  readonly checkReports?: boolean;
  /** Which tools are only named to models until they ask for them (default: those of servers, where they are many). */
  readonly deferTools?: DeferOptions;
  /** What the whole session may use: tokens, dollars, turns, milliseconds (default: no limit). */
  readonly budget?: Budget;
  /** What agents of a type get of it, each. */
  readonly agentBudgets?: readonly AgentBudget[];
  /** Who searches the web for WebSearch (default: the API's own search, if the endpoint is the API). */
  readonly webSearch?: SearchSettings;
  /** Prices of models that differ from the published ones, by full id. */
  readonly prices?: OwnPrices;
  /** Dollars above which agents of one reply are asked about, or told, before they start (default 1; 0: always). */
  readonly quoteAboveUsd?: number;
  /** Where sessions are kept (default `~/.troupe`). */
  readonly home?: string;
  /** A line by which a person recognises the session in a list (default: its first prompt). */
  readonly title?: string;
  /** A session that is resumed: the same ID, and its journal continues (see `resumeSession`). */
  readonly resume?: ResumableSession;
  /**
   * What the main conversation does when it has answered while something runs in its background.
   * `wait`: a prompt ends when nothing runs there any longer and its notices were heard (default). `wake`: a prompt ends with its
   * answer; notices start the conversation again by themselves, reported as `woken` and `answered` events.
   */
  readonly background?: "wait" | "wake";
  /** Agent types in addition to the built-in ones; one with a built-in's name takes its place. */
  readonly agents?: readonly AgentDefinition[];
  /** Asked before each prompt: the same as they are then. Agents that run stay what they were. */
  readonly agentsNow?: AgentsNow;
  /**
   * Where models find the list of agents: in the description of the Agent tool (default), or in a message, so that one
   * more agent leaves the tools, and all that is cached with them, as they are.
   */
  readonly agentListing?: AgentPlacement;
  /** Whether an agent may start with the conversation of the one that starts it (default true). */
  readonly forks?: boolean;
  /** Tools in addition to the built-in ones; they run in the agent's thread, or on the caller's if they say so (see `defineTool`). */
  readonly tools?: readonly CustomTool[];
  /**
   * MCP servers by name, as in `.mcp.json`, or read already; shared by all agents, as `mcp__server__tool`. One that
   * cannot be used is a warning.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>> | readonly McpServer[];
  /** Servers that are known and are not started, by name, each with the reason: a clause, for agents that name one. */
  readonly serversLeftOut?: Readonly<Record<string, string>>;
  /**
   * The tool of one of them, by its whole name, that answers in the user's place. No model is offered it. Prompts
   * and spawns reject if there is no such tool.
   */
  readonly permissionPromptTool?: string;
  /** Language servers that may be started, for the tool LSP (default: none, and no such tool). */
  readonly languageServers?: LanguageServersOption;
  /** Other machines for agents that name a pool of runners, or for all (default: none). */
  readonly runners?: Runners;
  /** Where actors run; worker threads where absent. */
  readonly host?: ActorHost;
  /** Starts the threads of the gateway and of the journal, for a program that has booted them ahead. */
  readonly startThread?: StartThread;
  readonly ids?: Ids;
  readonly clock?: Clock;
  readonly onEvent?: (event: SupervisorEvent) => void;
}

/** One agent: what it does, and within which limits. */
export interface SpawnRequest<Output = JsonSchema | z.core.$ZodType> {
  /** Agent type, matched whatever its case and separators (default Explore). */
  readonly type?: string;
  /** Three to five words. */
  readonly description?: string;
  readonly prompt: string;
  /** A user typed the prompt: `/name args` calls the skill of that name, and rejects if it does not exist; images named `@path` are attached. */
  readonly typed?: boolean;
  /** Alias or full id; wins over the definition's. */
  readonly model?: string;
  /** Total tokens (input, output, cache) after which it writes its summary and ends `over_budget`. */
  readonly tokenBudget?: number;
  /** Milliseconds from its start after which it is stopped and ends `timed_out`. */
  readonly timeoutMs?: number;
  /** It edits in a git worktree of its own, and its edits are merged back when it ends (default: it edits in `cwd`). */
  readonly isolation?: "worktree";
  /** How the edits of its worktree are merged (default: that of the session's `worktree` settings). Rejects without one. */
  readonly merge?: MergeMode;
  /**
   * What its answer must be: a JSON Schema, or a zod schema, of which what JSON Schema can say is checked. The data is
   * `summary.output`; if it never fits, the summary is `partial`. Wins over the definition's.
   */
  readonly output?: Output;
  /**
   * What must be true of its work, looked at by the runtime when it has answered; with a worktree, where its edits are merged with
   * the current checkout. A command of it needs the same permission as a call of Bash. Work that is rejected goes back to the
   * agent twice; then it ends as `failed`, and its edits stay on their branch.
   */
  readonly accept?: Accept;
  /** Its calls that read or change files have a thread that nothing else uses until it ends (default: leased with each call). */
  readonly thread?: "own";
  /** The pool of runners that it runs on (default: the definition's, else the session's, else here). Rejects without `runners`. */
  readonly runner?: string;
  /**
   * Names what is asked for. If an agent of this session with the same key has ended `done`, or `partial` without a
   * schema, its result is the answer; one that was
   * cut off continues, and one that runs is waited for. Only otherwise an agent starts (default: always).
   */
  readonly key?: string;
  /** Called with the agent's ID as soon as it has one: by it the agent can be found, sent messages and cancelled. */
  readonly onStart?: (id: ActorId) => void;
  readonly signal?: AbortSignal;
}
