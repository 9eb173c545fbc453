import type * as z from "zod/mini";
import type { ActorHost } from "../actors/hosts.ts";
import type { AgentDefinition } from "../context/agents/definition.ts";
import type { Skill } from "../context/skills/skill.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { AgentView, SupervisorEvent } from "../events/event.ts";
import type { AgentPlacement, AgentsNow } from "../features/agents/agent-types.ts";
import type { Budget } from "../features/budget/budget.ts";
import type { Confirm, FanOutQuote } from "../features/budget/fan-out-approval.ts";
import type { SessionUsage } from "../features/budget/usage-meter.ts";
import type { CompactionOptions } from "../features/compaction/windows.ts";
import type { WorktreeSettings } from "../features/isolation/worktree-settings.ts";
import type { LanguageServersOption } from "../features/languages/index.ts";
import type { ModelService } from "../features/models/index.ts";
import type { Runners } from "../features/runners/index.ts";
import type { ScriptEnd, ScriptRequest } from "../features/scripts/index.ts";
import type { ScriptEstimate } from "../features/scripts/script-estimate.ts";
import type { ServerService } from "../features/servers/index.ts";
import type { SkillsOptions } from "../features/skills/options.ts";
import type { DeferOptions } from "../features/tool-search/index.ts";
import type { UserActors } from "../features/user-actors/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { StartThread } from "../lib/threads.ts";
import type { Accept } from "../mailbox/acceptance.ts";
import type { Compaction } from "../mailbox/compacted.ts";
import type { Picture } from "../mailbox/conversation.ts";
import type { Effort } from "../mailbox/effort.ts";
import type { ActorId, Ids, SessionId } from "../mailbox/ids.ts";
import type { JsonSchema, Todo } from "../mailbox/messages.ts";
import type { MergeMode } from "../mailbox/worktree.ts";
import type { ServerStatus } from "../mcp/mcp.ts";
import type { McpServer, McpServerEntry } from "../mcp/server.ts";
import type { AgentModels } from "../model/agent-models.ts";
import type { AvailableModels } from "../model/available-models.ts";
import type { ModelClient } from "../model/client.ts";
import type { OwnPrices } from "../model/prices.ts";
import type { UserHandler } from "../policy/asks.ts";
import type { SandboxSettings } from "../policy/sandbox/sandbox.ts";
import type { Limits } from "../settings/limits.ts";
import type { AgentBudget, HookSource } from "../settings/read-settings.ts";
import type { PermissionMode, Rule } from "../settings/rules.ts";
import type { StopScope } from "../supervisor/lifecycle.ts";
import type { SessionTasks } from "../tools/background/service.ts";
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

export type { AgentResult } from "../events/agent-result.ts";
export type { PermissionMode } from "../settings/rules.ts";
export type { StopScope } from "../supervisor/lifecycle.ts";

import type { SessionContextOptions } from "../features/context/session-context.ts";

export type { SessionUsage } from "../features/budget/usage-meter.ts";
export type { SkillsOptions } from "../features/skills/options.ts";
export type { Limits } from "../settings/limits.ts";

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
  /** What opus, sonnet and haiku stand for, where it is not the newest of each. */
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

/** The session's own actors (`defineActor`). */
export type SessionActors = Pick<UserActors, "start" | "find" | "names">;

/** What a program may want to know of a session. */
export interface SessionDescription {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
  /** Full ID. */
  readonly model: string;
}

/** Why a session is closed: the user began a new conversation, left at the prompt, or anything else. */
export type CloseReason = "clear" | "prompt_input_exit" | "other";

export interface ChangedSettings {
  readonly rules?: readonly Rule[];
  readonly managedRulesOnly?: boolean;
  readonly hooks?: readonly HookSource[];
  /** Those that are added to the session's own directory. */
  readonly additionalDirs?: readonly string[];
}

/** The session: owns the main conversation and every agent under it. `Supervisor` implements it. */
export interface SupervisorHandle {
  readonly session: SessionId;
  /** Directory of the session's journal. */
  readonly folder: string;
  /**
   * Sends one prompt to the main conversation and resolves with the summary of its run, however that ends; a prompt that a
   * hook or a skill stops is `failed`. Rejects, and runs no hook, if the session is closed, the text is empty or the last
   * prompt is not answered yet; later, only if the session is closed or cannot be used while the prompt is prepared.
   * Aborting `signal` ends the hooks and then the run, as `cancelled`. `images` are attached to it.
   */
  prompt(text: string, signal?: AbortSignal, images?: readonly Picture[]): Promise<AgentResult>;
  /**
   * Starts one agent without a main model and resolves with its summary, however it ends. Rejects, and starts none, if the
   * session is closed, an option or the agent type does not exist, an option cannot be obeyed, or the worktree, the skill
   * or the budget that it needs cannot be had. Aborting `signal` ends the agent as soon as it has started, as `cancelled`.
   */
  spawn(request: SpawnRequest): Promise<AgentResult>;
  /**
   * Runs an orchestration script ([docs/scripts.md](docs/scripts.md)): its agents are this session's, and a call that has finished in this
   * session is not made again. Resolves with how it ended. Rejects if the session is closed, runs a script already, or cannot
   * keep it on the disk.
   */
  runScript(request: ScriptRequest): Promise<ScriptEnd>;
  /**
   * Estimates what agents that start together may cost, and asks the user if that is likely to be more than `confirmAboveUsd`
   * (`fanout` does both). `confirm` asks if the session has no `permissionHandler`; without either it is a warning.
   */
  approveFanOut(
    requests: readonly Pick<SpawnRequest, "type" | "model" | "tokenBudget">[],
    signal?: AbortSignal,
    confirm?: Confirm,
  ): Promise<FanOutQuote>;
  /** What is known of what a script may cost, before it runs: by its own last runs, else by those of the agents in its text. */
  estimateScript(script: Pick<ScriptRequest, "name" | "path" | "source">): Promise<ScriptEstimate>;
  /**
   * Says something to a running actor: it enters the conversation at the actor's next turn, and an actor
   * that was about to end continues with it. `ended`: it reads no more messages.
   */
  send(actor: ActorId, text: string): "queued" | "ended" | "unknown";
  /** Withdraws what `send` said and the actor has not read, oldest first: it will not hear it. */
  unsend(actor: ActorId): readonly string[];
  /** Moves the commands and agents that an actor waits for to the background: they notify it when they end. Returns their number. */
  toBackground(actor: ActorId): number;
  /** Reports the text of an agent as it is written (`text` events), until this is switched off. The main conversation's always is. */
  watch(actor: ActorId, on: boolean): void;
  /** The steps of an actor's own list, and for the main conversation the tasks that all agents share. */
  todos(actor: ActorId): readonly Todo[];
  /** Starts and finds actors of your own. */
  readonly actors: SessionActors;
  /** Commands and scripts in the background of its agents. */
  readonly tasks: SessionTasks;
  /** Every agent of the session in spawn order, the main conversation first if it was used. */
  tree(): readonly AgentView[];
  /**
   * Ends one agent; its summary is `cancelled`, and it can be resumed. `subtree` (default): and all below it;
   * `foreground`: and what it waits for, but not what runs in the background. Unknown or ended: nothing happens.
   */
  cancel(actor: ActorId, reason: string, scope?: StopScope): void;
  /**
   * Resumes an agent that has ended, with all it knows: its next result. One that still runs hears the text
   * instead, and the answer is its end. Rejects if the session is closed, the text is empty, there is no such agent, or its
   * conversation cannot be read or paid for. Aborting `signal` ends the agent, as `cancelled`, also one that ran already.
   */
  resume(actor: ActorId, text: string, signal?: AbortSignal): Promise<AgentResult>;
  /**
   * Makes a conversation shorter (`/compact`): between two turns if it runs, immediately if it is the main one and
   * idle. `instructions`: what the summary should keep. Resolves with the outcome; rejects if the session is closed.
   */
  compact(actor: ActorId, instructions?: string): Promise<Compaction>;
  /** What a resumed session had not finished (none of it runs before `resumeUnfinished` or a prompt), and what was left. */
  unfinished(): { readonly main: boolean; readonly agents: readonly AgentView[] };
  /**
   * Resumes everything that was cut off from its last durable turn. Resolves with the main conversation's result as
   * `prompt` does: the recorded one if nothing was cut off and the session was not closed. Else null. Rejects if the
   * session is closed. Aborting `signal` ends what was set going, as `cancelled`.
   */
  resumeUnfinished(signal?: AbortSignal): Promise<AgentResult | null>;
  usage(): SessionUsage;
  /** The main conversation's tools and model, once it has begun, and the agent types. */
  describe(): SessionDescription;
  /** The skills and commands that the user can call as `/name`, as they were looked at last. */
  skills(): readonly Skill[];
  /** The status of each MCP server. */
  mcpServers(): readonly ServerStatus[];
  /** Those that are known and not started, by name, each with the reason. */
  serversLeftOut(): Readonly<Record<string, string>>;
  /** What the user does with them: their prompts, signing in, starting again, accepting changed tools. */
  readonly mcp: ServerService;
  /** The permission mode in force, for every agent. */
  mode(): PermissionMode;
  /** Holds from the next call on, for every agent. */
  setMode(mode: PermissionMode): void;
  /** The models that there are, and the change of the main conversation's. */
  readonly models: ModelService;
  /** The permission rules in force, those that the user granted for the session last. */
  rules(): readonly Rule[];
  /** Settings were changed: what is given holds from the next call on, for every agent. */
  replaceSettings(settings: ChangedSettings): void;
  /**
   * Leaves everything as it is, to be resumed with the session (C23): what runs is ended, but not in the journal, and
   * what is asked for from now on is recorded and does not run. Each result is `cancelled`. Call `close` after it.
   */
  detach(reason: string): void;
  /**
   * Cancels what runs, waits until the actor tree is empty, closes every thread, port, process. Idempotent. SessionEnd
   * hooks get the reason.
   */
  close(reason?: CloseReason): Promise<void>;
}
