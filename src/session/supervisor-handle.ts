import type { Skill } from "../context/skills/skill.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { AgentView } from "../events/event.ts";
import type { Confirm, FanOutQuote } from "../features/budget/fan-out-approval.ts";
import type { SessionUsage } from "../features/budget/usage-meter.ts";
import type { ModelService } from "../features/models/index.ts";
import type { ScriptEnd, ScriptRequest } from "../features/scripts/index.ts";
import type { ScriptEstimate } from "../features/scripts/script-estimate.ts";
import type { ServerService } from "../features/servers/index.ts";
import type { UserActors } from "../features/user-actors/index.ts";
import type { Compaction } from "../mailbox/compacted.ts";
import type { Picture } from "../mailbox/conversation.ts";
import type { ActorId, SessionId } from "../mailbox/ids.ts";
import type { Todo } from "../mailbox/messages.ts";
import type { ServerStatus } from "../mcp/mcp.ts";
import type { PermissionMode, Rule } from "../settings/permissions.ts";
import type { HookSource } from "../settings/read-settings.ts";
import type { StopScope } from "../supervisor/lifecycle.ts";
import type { SessionTasks } from "../tools/background.ts";
import type { SpawnRequest } from "./options.ts";

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
  /** The steps of an actor's own list, and for the main conversation the tasks that all agents share. Of null, only these tasks. */
  todos(actor: ActorId | null): readonly Todo[];
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
